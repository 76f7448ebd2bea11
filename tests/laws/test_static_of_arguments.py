"""What is static of a module among the arguments is no number to trace: `eqx.filter_jit` holds it as it is."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from pytree_laws import PytreeLaws, sample


class Grid(eqx.Module):
    """A grid whose shape is numbers of Python."""

    shape: tuple[int, int]
    origin: jax.Array
    step: float = 0.5


class Field(eqx.Module):
    """A field on a grid."""

    weight: jax.Array

    def __call__(self, x: jax.Array, grid: Grid) -> jax.Array:
        places = grid.origin + grid.step * jnp.arange(grid.shape[0], dtype=x.dtype)
        return self.weight * (x.sum() + places.sum())


class TestField(PytreeLaws):
    """The laws of a field, of which the grid differs with the seed."""

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"weight": sample(seed, (3,))}

    def build(self, weight: jax.Array) -> Field:
        return Field(weight)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return sample(seed, (4,)), Grid((3, 2), sample(seed + 1))
