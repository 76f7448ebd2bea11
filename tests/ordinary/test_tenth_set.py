"""What a tenth set of ordinary classes has shown, as the smallest classes."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, tried
from tests.support.forking import forked_pytest
from tests.support.projects import passed

HEAD = """
import math
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float, Int
from scaffold.skeleton import Module, buffer, data, param
"""
CLASSES = {  # sizes that a guard refuses, arrays that are listed, Python numbers alone, what a state holds
    "blur": """
class Blur(nnx.Module):
    def __init__(self, dim: int, width: int, *, rngs: nnx.Rngs):
        if width % 2 == 0 or width < 5:
            raise ValueError(f"the width has to be odd, and at least 5, not {width}")
        assert dim > 2, "too few"
        self.conv = nnx.Conv(dim, dim, kernel_size=(width,), rngs=rngs)

    def __call__(self, x: Float[Array, "time dim"]) -> Float[Array, "time dim"]:
        return self.conv(x)
""",
    "lattice": """
class Lattice(Module):
    rate: Float[Array, ""] = param()
    weights: Float[Array, " q"] = buffer()
    moves: Int[Array, "q two"] = data()

    def __init__(self, rate: Float[Array, ""]):
        axis = [(0, 0), (1, 0), (0, 1), (-1, 0)]
        moves = [*axis, (0, -1)]
        self.moves = jnp.array([(b, a) for a, b in moves])
        self.weights = jnp.array([1 / 3, *[1 / 6] * 4])
        self.rate = rate

    def __call__(self, x: Float[Array, " q"]) -> Float[Array, " q"]:
        return x + self.rate * (self.weights - x)
""",
    "planet": """
class Satellite(NamedTuple):
    position: Float[Array, "2"]


class Planet(Module):
    mass: Float[Array, ""] = param("ones")

    @staticmethod
    def circular(radius: float) -> Satellite:
        return Satellite(jnp.array([radius, math.sqrt(radius)]))

    def pull(self, satellite: Satellite) -> Float[Array, "2"]:
        return -self.mass * satellite.position
""",
    "codebook": """
class Codes(NamedTuple):
    values: jax.Array
    which: jax.Array


class Codebook(eqx.Module):
    table: eqx.nn.StateIndex

    def __init__(self, codes: int, dim: int, *, key: jax.Array):
        self.table = eqx.nn.StateIndex(jax.random.normal(key, (codes, dim)))

    def __call__(self, x: jax.Array, state: eqx.nn.State) -> tuple[Codes, eqx.nn.State]:
        table = state.get(self.table)
        which = jnp.argmax(table @ x)
        return Codes(table[which], which), state

    def lookup(self, which: jax.Array, state: eqx.nn.State) -> jax.Array:
        return state.get(self.table)[which]
""",
}


@pytest.mark.spread(6)
@pytest.mark.parametrize("name", CLASSES)
def test_it_is_tried_with_examples_that_fit(name: str, tmp_path: Path) -> None:
    tried(tmp_path, name, HEAD + CLASSES[name])


KWARGS = """
class Compartment(eqx.Module):
    rate: jax.Array

    def __init__(self, size: int = 2, *, key: jax.Array):
        self.rate = jax.random.normal(key, (size,))

    @classmethod
    def slow(cls, rate: float, **kwargs) -> "Compartment":
        made = cls(**kwargs)
        return eqx.tree_at(lambda one: one.rate, made, made.rate * rate)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.rate * x
"""


def test_what_the_constructor_needs_of_keywords_that_are_handed_on_has_no_example(tmp_path: Path) -> None:
    said = generated(tmp_path, {"compartment": HEAD + KWARGS})
    assert "Compartment: not tried: slow (no example for key in **kwargs)\n" in said
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 40
