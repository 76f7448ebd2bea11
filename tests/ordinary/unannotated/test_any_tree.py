"""Trees of arrays by the names of other libraries: they are tried, and the annotations stay."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried
from tests.support.forking import forked_pytest

AVERAGE = """
import chex
import jax
import optax
from jaxtyping import Array, Float
from scaffold.skeleton import Module, param, static


class Average(Module):
    scale: Float[Array, ""] = param("ones")
    decay: float = static(0.9)

    def __call__(self, tree: chex.ArrayTree) -> jax.Array:
        return self.scale * optax.tree.norm(tree)

    def update(self, params: optax.Params, average: optax.Params) -> optax.Updates:
        return jax.tree.map(lambda p, a: self.decay * a + (1 - self.decay) * p, params, average)
"""


def test_trees_of_optax_and_chex_have_an_example(tmp_path: Path) -> None:
    module = tried(tmp_path, "average", AVERAGE)
    assert "def __call__(self, tree: chex.ArrayTree) -> jax.Array:" in module
    assert "params: optax.Params, average: optax.Params" in module and "-> optax.Updates:" in module


MOMENTUM = """
import dataclasses

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PyTree


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Momentum:
    momentum: PyTree[Float[Array, "..."]]

    @classmethod
    def init(cls, params: PyTree) -> "Momentum":
        return cls(jax.tree.map(jnp.zeros_like, params))

    def update(self, grads: PyTree) -> "Momentum":
        return Momentum(jax.tree.map(lambda m, g: 0.9 * m + g, self.momentum, grads))
"""


def test_a_tree_beside_one_that_the_class_holds_has_its_leaves(tmp_path: Path) -> None:
    tried(tmp_path, "momentum", MOMENTUM)


RESET = """
from typing import Tuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PyTree

State = Tuple[PyTree[Array, "..."], Bool[Array, ""]]


class Reset(eqx.Module):
    start: Float[Array, " size"]

    def __call__(self, carry: State, x: Float[Array, " size"]):
        h, start = carry
        h = jax.tree.map(lambda a, b: jnp.where(start, b, a), h, self.start)
        return h + x, start
"""


def test_a_tree_of_which_nothing_says_how_it_is_built_is_a_guess(tmp_path: Path) -> None:
    generated(tmp_path, {"reset": RESET})
    assert 'guessed = ("__call__",)' in suite_text(tmp_path, "reset")
    said = forked_pytest(tmp_path / "nets", "--numbers=off").stdout
    assert "not tried: the example of `__call__` is a guess, and does not fit" in said and "fault" not in said


@pytest.mark.slow
def test_a_mistake_beside_a_tree_is_told(tmp_path: Path) -> None:
    generated(tmp_path, {"average": AVERAGE.replace("self.decay * a", "self.decay * a.array")})
    assert "at `update`: it raised AttributeError" in forked_pytest(tmp_path / "nets", "--numbers=off").stdout
