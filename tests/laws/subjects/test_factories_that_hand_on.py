"""Factories that hand on whatever they are given: what a constructor takes, they may not."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from pytree_laws import LawBroken, PytreeLaws, sample


class Rounded(eqx.Module):
    """A module whose factory takes fewer arguments than its constructor, and hands on whatever it is given."""

    weight: jax.Array
    is_rounded: bool = False

    @classmethod
    def make(cls, *args: Any, **kwargs: Any) -> "Rounded":
        return _made(*args, **kwargs)

    def __call__(self, x: jax.Array) -> jax.Array:
        return jnp.round(self.weight * x) if self.is_rounded else self.weight * x


def _made() -> Rounded:
    return Rounded(jnp.arange(3.0), is_rounded=False)


class RoundedSuite(PytreeLaws):
    def inputs(self, seed: int) -> dict[str, Any]:
        return {}

    def build(self, **inputs: Any) -> Rounded:
        return Rounded.make(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3,)),)


class DeclaredSuite(RoundedSuite):
    absent = ({"is_rounded": True},)


def test_what_a_factory_does_not_take_is_no_configuration_unless_it_is_declared() -> None:
    RoundedSuite().test_p01_builds_in_each_configuration()
    with pytest.raises(LawBroken, match="got an unexpected keyword argument 'is_rounded'"):
        DeclaredSuite().test_p01_builds_in_each_configuration()
