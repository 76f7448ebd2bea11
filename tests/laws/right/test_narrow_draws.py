"""Draws of a class that computes in bfloat16: in another dtype the same key gives other numbers."""

from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from pytree_laws import Leaf, PytreeLaws, sample


class Noisy(eqx.Module):
    compute_dtype: ClassVar[Any] = jnp.bfloat16
    weight: jax.Array

    def __call__(self, x: jax.Array, key: jax.Array) -> jax.Array:
        narrow = x.astype(self.compute_dtype) * self.weight.astype(self.compute_dtype)
        return narrow + jax.random.uniform(key, x.shape, narrow.dtype)


class NoisyLaws(PytreeLaws):
    leaves = (Leaf("weight", "param", (3,)),)
    compute = "bfloat16"

    def build(self, seed: int) -> Noisy:
        return Noisy(sample(seed, (3,)))

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return sample(seed, (3,)), jax.random.key(seed)


def test_what_is_drawn_in_the_narrow_dtype_is_not_compared_with_another() -> None:
    with pytest.raises(pytest.skip.Exception, match="it draws in the dtype that it computes in"):
        NoisyLaws().test_p07_computes_what_the_stored_dtype_gives()
