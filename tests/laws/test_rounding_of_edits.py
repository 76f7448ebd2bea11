"""What rounding alone moves as far is nothing stale: small differences of large numbers, and norms of norms."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from pytree_laws import LawBroken, PytreeLaws, sample


class Difference(eqx.Module):
    """A small difference of large numbers, which a fused multiplication rounds in another way."""

    weight: jax.Array

    def __call__(self, x: jax.Array, offset: jax.Array) -> jax.Array:
        return (self.weight * x + offset) - offset


class Stale(eqx.Module):
    """The same, with what is kept of the weights at the first call."""

    weight: jax.Array
    cache: dict[str, jax.Array] = eqx.field(static=True)

    def __call__(self, x: jax.Array, offset: jax.Array) -> jax.Array:
        is_traced = isinstance(self.weight, jax.core.Tracer)
        weight = jnp.ones(4096) if is_traced else self.weight
        return (weight * x + offset) - offset


class DifferenceLaws(PytreeLaws):
    """The laws of differences."""

    def build(self, **inputs: Any) -> Any:
        return Difference(jnp.ones(4096))

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return sample(seed, (4096,)), jnp.float32(8000)


class StaleLaws(DifferenceLaws):
    """The laws of what is stale."""

    def build(self, **inputs: Any) -> Any:
        return Stale(jnp.ones(4096), {})


def test_rounding_of_large_numbers_is_nothing_stale() -> None:
    DifferenceLaws().test_p08_compiled_calls_see_every_edit()


def test_what_is_stale_is_more_than_rounding() -> None:
    with pytest.raises(LawBroken, match="after an edit"):
        StaleLaws().test_p08_compiled_calls_see_every_edit()
