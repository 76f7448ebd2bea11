"""Calls that are given the streams of keys from which they draw: each call updates them, and the laws give each its own."""

from typing import Any

import jax
import jax.numpy as jnp
import pytest
from flax import nnx
from harness.runner import run

from pytree_laws import sample
from pytree_laws.nnx import NnxLaws, Var


class Weighted(nnx.Module):
    def __init__(self, rngs: nnx.Rngs) -> None:
        self.mean = nnx.Param(rngs.params.normal((3, 3)))
        self.scale = nnx.Param(jnp.full((3, 3), 0.5, jnp.float32))

    def __call__(self, x: jax.Array, rngs: nnx.Rngs) -> jax.Array:
        return x @ (self.mean + self.scale * jax.random.normal(rngs.noise(), (3, 3), x.dtype))


class Deaf(Weighted):
    """It draws from streams of its own making."""

    def __call__(self, x: jax.Array, rngs: nnx.Rngs) -> jax.Array:
        return x @ (self.mean + self.scale * jax.random.normal(jax.random.key(0), (3, 3)))


class WeightedLaws(NnxLaws):
    variables = (Var("mean", nnx.Param, (3, 3)), Var("scale", nnx.Param, (3, 3), value=0.5))
    module: type[Weighted] = Weighted

    def build(self, rngs: nnx.Rngs) -> Any:
        return self.module(rngs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return sample(seed, (3,)), nnx.Rngs(seed)


@pytest.mark.slow
def test_a_call_may_draw_from_streams_that_it_is_given() -> None:
    outcome = run(WeightedLaws)
    assert not outcome, outcome


def test_one_that_draws_from_others_is_told() -> None:
    class DeafLaws(WeightedLaws):
        module = Deaf

    assert "P12" in run(DeafLaws)
