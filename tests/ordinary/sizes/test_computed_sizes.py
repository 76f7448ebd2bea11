"""Sizes that a constructor computes, or has by default: the tests take them for those of its dims."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated
from tests.support.forking import forked_pytest
from tests.support.projects import passed

HEAD = """import jax
import jax.numpy as jnp
from jaxtyping import Array, Complex, Float, Int, PRNGKeyArray
from scaffold.skeleton import Module, buffer, param, static


"""
SPECTRAL = """class Spectral(Module):
    weight: Complex[Array, "channels half"] = param()
    window: Float[Array, " width"] = buffer()
    hidden: Float[Array, "h channels"] = param()

    def __init__(self, channels: int, n: int = 16, depth: int = 3, *, key: PRNGKeyArray):
        modes = n // 2 + 1
        self.weight = jax.random.normal(key, (channels, modes), jnp.complex64)
        self.window = jnp.hanning(2 * depth + 1)
        self.hidden = jax.random.normal(key, (4 * channels, channels))

    def __call__(self, x: Float[Array, "channels n"]) -> Float[Array, "h n"]:
        return self.hidden @ jnp.fft.irfft(self.weight * jnp.fft.rfft(x), x.shape[-1]) * self.window.sum()
"""


@pytest.mark.slow  # examples of later sets have such dims
def test_dims_that_a_constructor_computes_have_the_sizes_that_it_gives_them(tmp_path: Path) -> None:
    generated(tmp_path, {"spectral": HEAD + SPECTRAL})
    tests = (tmp_path / "nets/tests/test_spectral.py").read_text("utf-8")
    assert '"weight", "param", (2, 9), "complex64"' in tests and '"n": 16' in tests, "16 // 2 + 1"
    assert '"window", "buffer", (7,)' in tests and '"hidden", "param", (8, 2)' in tests
    assert passed(forked_pytest(tmp_path / "nets", "tests")) > 80


DECAY = """class Decay(Module):
    rate: Float[Array, ""] = param(lambda: jnp.array(0.5))
    pull: Float[Array, ""] = param(lambda: jnp.array(0.3))
    steps: int = static(8)

    def __call__(self, x: Float[Array, ""]) -> Float[Array, " steps"]:
        def body(carry, _):
            x, v = carry
            return (self.rate * x + v, v + self.pull * (1 - v)), x

        return jax.lax.scan(body, (x, jnp.full_like(x, 0.5)), None, length=self.steps)[1]
"""


@pytest.mark.slow  # dims that a constructor computes are tried in every run
def test_a_dim_with_a_small_default_has_that_size(tmp_path: Path) -> None:
    generated(tmp_path, {"decay": HEAD + DECAY})
    assert passed(forked_pytest(tmp_path / "nets", "tests")) > 80, "of two steps `pull` moves nothing"


TREE = """class Tree(Module):
    children: Int[Array, "inner 2"] = buffer()
    log_branch: Float[Array, " edges"] = param()

    def __init__(self, tips: int, length: float = 0.1):
        rows = [(0, 1)] + [(tips + i - 1, i + 1) for i in range(1, tips - 1)]
        self.children = jnp.asarray(rows, jnp.int32)
        self.log_branch = jnp.full((2 * tips - 2,), jnp.log(length))

    def __call__(self, x: Float[Array, "tips sites"]) -> Float[Array, " sites"]:
        return x[self.children[:, 1]].sum(0) * jnp.exp(self.log_branch).sum()
"""


@pytest.mark.slow  # dims that a constructor computes are tried in every run
def test_a_dim_of_which_nothing_says_the_size_is_left_open(tmp_path: Path) -> None:
    generated(tmp_path, {"tree": HEAD + TREE})
    tests = (tmp_path / "nets/tests/test_tree.py").read_text("utf-8")
    assert (
        'Leaf("children", "buffer", None, "int32")' in tests and 'Leaf("log_branch", "param", (8,))' in tests
    )
    assert passed(forked_pytest(tmp_path / "nets", "tests")) > 80
