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


class Unit:
    """A unit, which is equal by name and keeps what it has looked up in a private table."""

    def __init__(self, name: str) -> None:
        self.name, self._table = name, dict[str, float]()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unit) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def scale(self) -> float:
        return self._table.setdefault(self.name, 2.0)


class Scaled(eqx.Module):
    """A weight in a unit, that the constructor asks for its scale."""

    weight: jax.Array
    unit: Unit = eqx.field(static=True)

    def __init__(self, weight: jax.Array, unit: Unit) -> None:
        self.weight, self.unit = unit.scale() * weight, unit

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * x


class TestScaled(PytreeLaws):
    """The laws of a weight in a unit, without those that tell that the unit is the very object that was given."""

    test_p01_keeps_none_of_its_inputs: Any = None
    test_p13_replace_and_copy_keep_the_value: Any = None

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"weight": sample(seed, (3,)), "unit": Unit("m")}

    def build(self, weight: jax.Array, unit: Unit) -> Scaled:
        return Scaled(weight, unit)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3,)),)


class TestField(PytreeLaws):
    """The laws of a field, of which the grid differs with the seed."""

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"weight": sample(seed, (3,))}

    def build(self, weight: jax.Array) -> Field:
        return Field(weight)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return sample(seed, (4,)), Grid((3, 2), sample(seed + 1))
