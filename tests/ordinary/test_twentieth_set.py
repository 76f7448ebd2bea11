"""A twentieth set of classes as their authors would write them: right ones pass their tests, and mistakes are told."""

from pathlib import Path

from tests.ordinary.generated import generated
from tests.support.forking import forked_pytest
from tests.support.projects import failed_tests, passed

ADAPTER = """
import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray
from scaffold.skeleton import Module, module, param


class Adapter(Module):
    base: eqx.nn.Linear = module(frozen=True)
    a: Float[Array, "rank n"] = param()
    b: Float[Array, "m rank"] = param()

    def __init__(self, base: eqx.nn.Linear, rank: int = 4, *, key: PRNGKeyArray):
        m, n = base.weight.shape
        self.base = base
        self.a = jax.random.normal(key, (rank, n))
        self.b = jnp.zeros((m, rank))

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " m"]:
        return self.base(x) + self.b @ (self.a @ x)
"""
NORMAL = """
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray
from scaffold.skeleton import Module, param


class Normal(Module):
    loc: Float[Array, " d"] = param()

    def log_prob(self, x: Float[Array, " d"]) -> Float[Array, ""]:
        return -0.5 * jnp.sum((x - self.loc) ** 2)

    def sample(self, key: PRNGKeyArray, shape: tuple[int, ...] = ()) -> Float[Array, "*batch d"]:
        return self.loc + jax.random.normal(key, (*shape, *self.loc.shape), self.loc.dtype)
"""
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


def test_sizes_of_a_given_layer_and_leading_axes_are_no_obstacle(tmp_path: Path) -> None:
    said = generated(tmp_path, {"adapter": ADAPTER, "normal": NORMAL})
    assert "not tried" not in said and "not tested" not in said, said
    suites = [(tmp_path / f"nets/tests/test_{name}.py").read_text("utf-8") for name in ("adapter", "normal")]
    assert "eqx.nn.Linear(2, 3, " in suites[0] and "(sample(seed, (2,)),)" in suites[0]
    assert "Output((..., 2))" in suites[1]
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 150


def test_what_is_written_of_dtypes_axes_and_parts_is_held_to(tmp_path: Path) -> None:
    generated(tmp_path, {"window": WINDOW, "pool": POOL, "kernels": KERNELS})
    emitted = (tmp_path / "nets/window.py").read_text("utf-8")
    assert "self.window = jnp.array(np.hanning(n), dtype=jnp.float16)" in emitted
    assert "Output((5, None))" in (tmp_path / "nets/tests/test_pool.py").read_text("utf-8")
    assert failed_tests(forked_pytest(tmp_path / "nets", "--numbers=off")) == {
        "test_p07_mixes_no_precisions",  # the window is half as precise as what it meets
        "test_p07_outputs_are_as_declared",  # the wrong axis is averaged
        "test_p09_every_trained_sub_tree_has_a_gradient",  # the sum reads one kernel twice
        "test_p09_every_leaf_of_a_sub_module_has_a_gradient",
    }
