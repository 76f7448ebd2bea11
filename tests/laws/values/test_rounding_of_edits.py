"""What rounding alone moves as far is nothing stale: the sine of a large angle, norms of norms."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from pytree_laws import LawBroken, PytreeLaws, sample


class Waves(eqx.Module):
    """The sine of large angles, which a compiler rounds in another way."""

    weight: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        angle = 1000 * self.weight * x
        is_traced = isinstance(angle, jax.core.Tracer)
        return jnp.sin(angle * (1 + 2.0**-23) if is_traced else angle)


class Stale(eqx.Module):
    """What a compiled call keeps of the weights is as they were."""

    weight: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        is_traced = isinstance(self.weight, jax.core.Tracer)
        weight = jnp.ones(3) if is_traced else self.weight
        return weight * x


class WavesLaws(PytreeLaws):
    """The laws of waves."""

    def build(self, **inputs: Any) -> Any:
        return Waves(jnp.ones(3))

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3,)),)


class StaleLaws(WavesLaws):
    """The laws of what is stale."""

    def build(self, **inputs: Any) -> Any:
        return Stale(jnp.ones(3))


def test_rounding_of_large_angles_is_nothing_stale() -> None:
    WavesLaws().test_p08_compiled_calls_see_every_edit()


def test_what_is_stale_is_more_than_rounding() -> None:
    with pytest.raises(LawBroken, match="after an edit"):
        StaleLaws().test_p08_compiled_calls_see_every_edit()
