"""What a call gives that is no finite number has no part in a loss: an empty place has a fitness of minus infinity."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from pytree_laws import PytreeLaws, sample


class Places(eqx.Module):
    """Places with a fitness, of which one is empty."""

    fitness: jax.Array

    def __call__(self, bonus: jax.Array) -> jax.Array:
        return self.fitness + bonus


class Density(eqx.Module):
    """The logarithm of a density, which is minus infinity outside of an interval."""

    rate: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return jnp.where(x > 0, jnp.log(self.rate) - self.rate * x, -jnp.inf)


class TestPlaces(PytreeLaws):
    """The laws of places."""

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"fitness": sample(seed, (3,)).at[0].set(-jnp.inf)}

    def build(self, fitness: jax.Array) -> Places:
        return Places(fitness)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3,)),)


class TestDensity(PytreeLaws):
    """The laws of a density, at points of both signs."""

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"rate": jnp.exp(sample(seed))}

    def build(self, rate: jax.Array) -> Density:
        return Density(rate)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (jnp.array([-1.0, 0.5, 2.0]) + 0.1 * sample(seed, (3,)),)
