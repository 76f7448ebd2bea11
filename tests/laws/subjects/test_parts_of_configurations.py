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

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * x


class Given(Started):
    def first(self) -> jax.Array:
        return jnp.zeros(3) if self.start is None else self.start


class StartedSuite(PytreeLaws):
    leaves = (Leaf("weight", "param", (3,)),)
    cls: type = Started

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"has_start": False}

    def build(self, has_start: bool) -> Any:
        return self.cls(jnp.ones(3), jnp.ones(3) if has_start else None)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3,)),)


def test_a_part_of_one_configuration_may_be_for_another_method() -> None:
    for cls, is_advice in ((Started, False), (Given, True)):
        suite = type("Suite", (StartedSuite,), {"cls": cls})()
        with pytest.raises(LawBroken, match="held in this configuration alone") as broken:
            suite.test_p09_uses_its_parameters_in_each_configuration()
        assert ("severity: advice" in str(broken.value)) is is_advice
