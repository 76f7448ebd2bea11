"""Mistakes that show when a training step runs: in its memory, its loss and its numbers."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from pytree_laws import StepLaws
from tests.laws.steps.right import Steps, advanced, start

# A history that grows: each step compiles anew, and no step can write into the memory of the last one.


class GrowingHistory(Steps):
    frozen = ("0.model.offset",)

    def state(self, seed: int) -> Any:
        return start(seed), jnp.zeros(1)

    @staticmethod
    @jax.jit
    def step(state: Any, batch: Any) -> Any:
        after, loss = advanced(state[0], batch)
        return (after, jnp.append(state[1], loss)), loss


class RollingHistory(GrowingHistory):
    @staticmethod
    @jax.jit
    def step(state: Any, batch: Any) -> Any:
        after, loss = advanced(state[0], batch)
        return (after, jnp.roll(state[1], 1).at[0].set(loss)), loss


# A loss that is infinite from the first step on.


class InfiniteLoss(Steps):
    @staticmethod
    @jax.jit
    def step(state: Any, batch: Any) -> Any:
        after, loss = advanced(state, batch)
        return after, loss - jnp.log(0 * loss)


# Noise of NumPy, which no key repeats.


class NoiseOfNumpy(Steps):
    @staticmethod
    def step(state: Any, batch: Any) -> Any:
        after, loss = advanced(state, batch)
        noise = 1e-3 * np.random.default_rng().normal(size=after.model.weight.shape)
        weight = after.model.weight + jnp.asarray(noise, after.model.weight.dtype)
        return eqx.tree_at(lambda tree: tree.model.weight, after, weight), loss


RUN_MISTAKES: dict[type[StepLaws], tuple[type[StepLaws], str, str]] = {
    GrowingHistory: (RollingHistory, "donation", "1"),
    InfiniteLoss: (Steps, "loss_falls", "loss"),
    NoiseOfNumpy: (Steps, "reproducible", "model.weight"),
}
