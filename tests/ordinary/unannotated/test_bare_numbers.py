"""Arguments of constructors that no annotation describes, and that the code takes for numbers."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried
from tests.support.forking import forked_pytest
from tests.support.projects import passed

HEAD = """
import jax
import jax.numpy as jnp
from flax import nnx
from scaffold.skeleton import Module, Nnx, static
"""
DROP = """

class DropPath(Nnx):
    def __init__(self, rate, rngs):
        self.rate = rate
        self.rngs = rngs.fork()

    def __call__(self, x, deterministic=False):
        if deterministic or self.rate == 0.0:
            return x
        keep = 1.0 - self.rate
        mask = jax.random.bernoulli(self.rngs.dropout(), keep, (x.shape[0],) + (1,) * (x.ndim - 1))
        return jnp.where(mask, x / keep, 0.0)
"""
SCALED = """

class Scaled(Nnx):
    def __init__(self, scale, rngs):
        self.scale = scale
        self.w = nnx.Param(rngs.params.normal((3, 3)))

    def __call__(self, x):
        return self.scale * (self.w @ x)
"""
CHECKED = """

class Checked(Module):
    keep: float = static()

    def __init__(self, rate):
        if not 0 <= rate < 1:
            raise ValueError("a rate is below one")
        self.keep = 1.0 - rate

    def __call__(self, x):
        return x / self.keep
"""


@pytest.mark.spread(5)
@pytest.mark.parametrize(
    ("name", "text", "given"),
    [
        ("drop_path", DROP, '"rate": 0.3'),
        ("scaled", SCALED, '"scale": 0.3'),
        ("checked", CHECKED, '"rate": 0.3'),
    ],
)
def test_what_the_code_takes_for_a_number_is_given_one(
    tmp_path: Path, name: str, text: str, given: str
) -> None:
    generated(tmp_path, {name: HEAD + text})
    assert given in suite_text(tmp_path, name)
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 40


@pytest.mark.slow
def test_an_array_outside_of_a_variable_is_told_once(tmp_path: Path) -> None:
    text = SCALED.replace("self.scale *", "self.scale[0] *")
    generated(tmp_path, {"scaled": HEAD + text})
    result = forked_pytest(tmp_path / "nets", "--numbers=off")
    assert "P2 manifest, at `scale`: declared in `static`, and a Variable" in result.stdout
    assert "of pytree_laws, and no line" not in result.stdout, result.stdout


BASIS = """\
import equinox as eqx
import jax
import jax.numpy as jnp


class Basis(eqx.Module):
    w: jax.Array

    def __init__(self, n: int, *, key):
        self.w = jax.random.normal(key, (n,))

    def grid(self, points):
        return jnp.linspace(0, 1, points)[:, None] * self.w

    def best(self, x, k):
        return jax.lax.top_k(self.w * x, k)[0]

    def tiled(self, copies):
        return jnp.stack([self.w] * copies)

    def rolled(self, steps):
        return jax.lax.scan(lambda c, _: (c + self.w, c), 2 * self.w, None, length=steps)

    def mapped(self, f, x):
        return f(self.w * x)
"""


@pytest.mark.slow
def test_what_methods_take_for_sizes_and_call_has_an_example(tmp_path: Path) -> None:
    tried(tmp_path, "basis", BASIS)
    suite = suite_text(tmp_path, "basis")
    assert "instance.grid(3)" in suite and "instance.tiled(3)" in suite and "instance.rolled(3)" in suite
    assert "instance.best(x, 2)" in suite and "jnp.tanh" in suite
