"""Parts that one configuration has alone: for the call, or for another method."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from pytree_laws import LawBroken, Leaf, PytreeLaws, sample


class Started(eqx.Module):
    """A start that another method gives, or that nothing reads."""

    weight: jax.Array
    start: jax.Array | None

    def __init__(self, weight: jax.Array, has_start: bool = False):
        self.weight, self.start = weight, jnp.ones(3) if has_start else None

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * x


class Given(Started):
    def first(self) -> jax.Array:
        return jnp.zeros(3) if self.start is None else self.start


class Scanned(Started):
    """Its method reads the start in a function of its own."""

    def first(self, steps: int = 3) -> jax.Array:
        def start_or(value: jax.Array) -> jax.Array:
            return value if self.start is None else self.start

        return start_or(jnp.zeros(steps))


class StartedSuite(PytreeLaws):
    leaves = (Leaf("weight", "param", (3,)),)
    cls: type = Started

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"weight": sample(seed, (3,)), "has_start": False}

    def build(self, **inputs: Any) -> Any:
        return self.cls(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3,)),)


@pytest.mark.parametrize(("cls", "is_advice"), [(Started, False), (Given, True), (Scanned, True)])
def test_a_part_of_one_configuration_may_be_for_another_method(cls: type, is_advice: bool) -> None:
    suite = type("Suite", (StartedSuite,), {"cls": cls})()
    with pytest.raises(LawBroken, match="held in this configuration alone") as broken:
        suite.test_p09_uses_its_parameters_in_each_configuration()
    assert ("severity: advice" in str(broken.value)) is is_advice
