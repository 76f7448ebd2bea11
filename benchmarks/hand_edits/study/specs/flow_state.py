import dataclasses

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32

from scaffold.skeleton import TrainState, call, data

from .invertible_linear import InvertibleLinear


class FlowState(TrainState, ema=0.999, key=True, save=True):
    """The training of a flow, with the best validation loss so far."""

    model: InvertibleLinear
    best: Float[Array, ""] = data("full(1000000.0)")
    """The least validation loss"""
    waited: Int32[Array, ""] = data("zeros")
    """Number of validations since then"""
    patience: int = 3

    @call(carry="self")
    def validated(self, loss: Float[Array, ""]) -> tuple["FlowState", Bool[Array, ""]]:
        """Take note of a validation loss, and say whether to stop."""
        better = loss < self.best
        waited = jnp.where(better, 0, self.waited + 1)
        best = jnp.minimum(loss, self.best)
        return dataclasses.replace(self, best=best, waited=waited), waited > self.patience
