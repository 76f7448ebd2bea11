"""Static values that hold arrays, and leaves that are the shape of one alone: right where they say themselves what they equal."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pytree_laws import LawBroken, PytreeLaws, sample
from pytree_laws.trace.programs import settings


@dataclass(frozen=True)
class Generated:
    """A leg of a tensor, which `dataclass` compares."""

    counts: np.ndarray


@dataclass(frozen=True, eq=False)
class ByValue(Generated):
    """One that its author compares."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByValue) and bool(np.array_equal(self.counts, other.counts))

    def __hash__(self) -> int:
        return hash(self.counts.tobytes())


@dataclass(frozen=True, eq=False)
class Elementwise(Generated):
    """One whose author gives an array."""

    def __eq__(self, other: object) -> Any:
        return self.counts == other.counts if isinstance(other, Elementwise) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.counts.tobytes())


@jax.tree_util.register_dataclass
@dataclass
class Tensor:
    data: jax.Array
    leg: Generated = field(metadata={"static": True})

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.data * x


class Energy(eqx.Module):
    """A weight for each node of a graph, and how a node looks."""

    weight: jax.Array
    node: jax.ShapeDtypeStruct

    def __call__(self, x: jax.Array) -> jax.Array:
        return jnp.sum(self.weight * x)

    def with_weight(self, weight: jax.Array) -> Self:
        return eqx.tree_at(lambda energy: energy.weight, self, weight)


def suite_of(leg: type[Generated]) -> type[PytreeLaws]:
    class TensorLaws(PytreeLaws):
        def inputs(self, seed: int) -> Mapping[str, Any]:
            return {"data": sample(seed, (3,)), "leg": leg(np.array([1, 2]))}

        def build(self, **inputs: Any) -> Tensor:
            return Tensor(**inputs)

        def arguments(self, seed: int) -> tuple[Any, ...]:
            return (sample(seed, (3,)),)

    return TensorLaws


class EnergyLaws(PytreeLaws):
    def build(self, seed: int) -> Energy:
        return Energy(sample(seed, (3,)), jax.ShapeDtypeStruct((), jnp.uint8))

    def inputs(self, seed: int) -> Mapping[str, Any]:
        return {"seed": seed}

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed + 1, (3,)),)

    def call(self, instance: Energy, *arguments: Any) -> Energy:
        return instance.with_weight(*arguments)


def broken(suite: type[PytreeLaws], test: str) -> str:
    """What a test finds of an instance, or nothing."""
    try:
        with settings():
            getattr(suite(), f"test_{test}")()
    except LawBroken as error:
        return error.finding.what
    return ""


@pytest.mark.parametrize(("leg", "is_right"), [(Generated, False), (ByValue, True), (Elementwise, False)])
def test_a_static_value_with_arrays_is_right_where_its_author_compares_it(
    leg: type[Generated], is_right: bool
) -> None:
    assert bool(broken(suite_of(leg), "p05_aux_is_hashable_and_free_of_arrays")) is not is_right


@pytest.mark.parametrize(
    "test",
    [
        "p12_a_cold_call_inside_jit_leaves_nothing_behind",
        "p07_filter_jit_equals_eager",
    ],
)
def test_the_shape_of_an_array_is_no_array_that_jit_could_give(test: str) -> None:
    assert not broken(EnergyLaws, test)
