"""Mistakes in classes as people write them, each with the law that notices it."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text
from tests.support.forking import forked_pytest
from tests.support.projects import failed_tests

HEAD = """
from abc import abstractmethod
from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray, Scalar
from scaffold.skeleton import Module, buffer, param, static
"""


@pytest.mark.slow  # tests/laws has the mistake
def test_a_method_that_forgets_a_whole_number_is_noticed(tmp_path: Path) -> None:
    text = """
class Forget(Module):
    slope: Float[Array, ""] = param()
    order: int = static(3)

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.slope * x**self.order

    def moved(self, by: Float[Array, ""]) -> "Forget":
        return Forget.create(self.slope + by)
"""
    generated(tmp_path, {"forget": HEAD + text})
    run = forked_pytest(tmp_path / "nets", "--numbers=off")
    assert "P11 carry, at `moved with order=4.order`: of an instance with 4 the next has 3" in run.stdout


HIDDEN = """
Rate = Callable[[Array], Array]


def daily(knots: Float[Array, " knots"]) -> Rate:
    def rate(t):
        return jnp.interp(t, jnp.linspace(0.0, 1.0, knots.shape[0]), knots)

    return rate


class Arrivals(eqx.Module):
    level: Float[Array, " streams"]
    rate: Rate

    def __init__(self, streams: int, *, key: PRNGKeyArray):
        self.level = jax.random.normal(key, (streams,))
        self.rate = daily(jax.random.normal(key, (4,)))

    def __call__(self, t: Scalar) -> Float[Array, " streams"]:
        return self.level * self.rate(t)
"""


@pytest.mark.slow  # a run of its own, as others near it
def test_what_a_closure_of_an_alias_hides_is_found(tmp_path: Path) -> None:
    generated(tmp_path, {"arrivals": HEAD + HIDDEN})
    run = forked_pytest(tmp_path / "nets", "--numbers=off")
    assert "`Arrivals.rate(closure over knots)`: an array of shape (4,) that is not a leaf" in run.stdout


WINDOW = """
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float
from scaffold.skeleton import Module, buffer


class Window(Module):
    window: Float[Array, " n"] = buffer()

    def __init__(self, n: int):
        self.window = jnp.asarray(np.hanning(n), dtype=jnp.float16)

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return x * self.window
"""

POOL = """
import jax.numpy as jnp
from jaxtyping import Array, Float
from scaffold.skeleton import Module, param


class Pool(Module):
    w: Float[Array, "heads d"] = param("ones")

    def __call__(self, x: Float[Array, "n d"]) -> Float[Array, "n features"]:
        out = x[:, None] * self.w
        return out.mean(axis=0)
"""

KERNELS = """
from abc import abstractmethod

from jaxtyping import Array, Float
from scaffold.skeleton import Module, param


class Kernel(Module):
    @abstractmethod
    def __call__(self, x: Float[Array, " d"], y: Float[Array, " d"]) -> Float[Array, ""]: ...

    def __add__(self, other: "Kernel") -> "Kernel":
        return Sum(self, other)


class Linear(Kernel):
    scale: Float[Array, ""] = param("ones")

    def __call__(self, x: Float[Array, " d"], y: Float[Array, " d"]) -> Float[Array, ""]:
        return self.scale * (x @ y)


class Sum(Kernel):
    left: Kernel
    right: Kernel

    def __call__(self, x: Float[Array, " d"], y: Float[Array, " d"]) -> Float[Array, ""]:
        return self.left(x, y) + self.left(x, y)
"""


@pytest.mark.slow
def test_what_is_written_of_dtypes_axes_and_parts_is_held_to(tmp_path: Path) -> None:
    generated(tmp_path, {"window": WINDOW, "pool": POOL, "kernels": KERNELS})
    emitted = (tmp_path / "nets/window.py").read_text("utf-8")
    assert "self.window = jnp.array(np.hanning(n), dtype=jnp.float16)" in emitted
    assert "Output((5, None))" in suite_text(tmp_path, "pool")
    assert failed_tests(forked_pytest(tmp_path / "nets", "--numbers=off")) == {
        "test_p07_mixes_no_precisions",  # the window is half as precise as what it meets
        "test_p07_outputs_are_as_declared",  # the wrong axis is averaged
        "test_p09_every_trained_sub_tree_has_a_gradient",  # the sum reads one kernel twice
        "test_p09_every_leaf_of_a_sub_module_has_a_gradient",
    }


NORM = """
class Norm(eqx.Module):
    scale: Float[Array, " n"]

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.scale * x

    def total(self):
        return jnp.sum(self.scale)
"""
WEIGH = """
class Weigh(Module):
    gain: Float[Array, " n"] = param("ones")

    def __call__(self, x: Float[Array, " n"], count: Int[Array, " n"]) -> Float[Array, " n"]:
        return self.gain * x * count
"""


@pytest.mark.slow  # a run of its own
def test_what_to_look_for_is_what_the_error_says(tmp_path: Path) -> None:
    """A name that went, and dtypes that meet where the tests of a project forbid it: no other example mends them."""
    generated(
        tmp_path, {"norm": HEAD + NORM, "weigh": HEAD.replace("Array, Float,", "Array, Float, Int,") + WEIGH}
    )
    nets = tmp_path / "nets"
    (nets / "norm.py").write_text(
        (nets / "norm.py").read_text("utf-8").replace("jnp.sum(self.scale)", "jnp.sum(self.gain)")
    )
    strict = 'import jax\n\njax.config.update("jax_numpy_dtype_promotion", "strict")\n'
    (nets / "tests/conftest.py").write_text(strict + (nets / "tests/conftest.py").read_text("utf-8"))
    run = forked_pytest(nets, "--numbers=off", "-k", "p07")
    assert "look for: `gain`, which is not there" in run.stdout
    assert "look for: two dtypes that meet without a cast" in run.stdout
