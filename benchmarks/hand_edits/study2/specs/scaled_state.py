from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32

from scaffold.skeleton import TrainState, data, static

from .lru import Lru


class ScaledState(TrainState, ema=0.995, key=True, save=True):
    """A train state for half precision: losses are scaled so that gradients do not vanish."""

    model: Lru
    scale: Float[Array, ""] = data("full(1024.0)")
    """Factor of the loss"""
    clean: Int32[Array, ""] = data("zeros")
    """Steps since the factor last changed"""
    patience: int = static(20, check=lambda patience: patience > 0)
    """Steps without overflow after which the factor doubles"""
    ramp: int = static(4, check=lambda ramp: ramp > 0)
    """Steps in which the learning rate reaches its full size"""

    def scaled(self, loss: Array) -> Array:
        """The loss to differentiate."""
        return loss * self.scale.astype(loss.dtype)

    def unscaled(self, gradients: Lru) -> Lru:
        """The gradients of the loss itself, of those of the scaled one."""
        return jax.tree.map(lambda g: g / self.scale.astype(g.dtype), gradients)

    def adjusted(self, finite: Bool[Array, ""]) -> "ScaledState":
        """With the factor for the next step: halved after an overflow, doubled after many steps without."""
        grows = self.clean + 1 >= self.patience
        up = jnp.where(grows, self.scale * 2, self.scale)
        down = jnp.maximum(self.scale / 2, 1.0)
        clean = jnp.where(grows | ~finite, 0, self.clean + 1)
        return eqx.tree_at(
            lambda node: (node.scale, node.clean),
            self,
            (jnp.where(finite, up, down), clean.astype(self.clean.dtype)),
        )

    @property
    def warmth(self) -> Float[Array, ""]:
        """Share of the learning rate, which grows in a line for `ramp` steps."""
        done = (self.step + 1).astype(self.scale.dtype)
        return jnp.minimum(done / self.ramp, 1.0)

    def drift(self) -> Float[Array, ""]:
        """Distance of the weights from their average."""
        weights = eqx.filter(self.model, eqx.is_inexact_array)
        squares: Any = jax.tree.map(
            lambda weight, mean: jnp.sum((weight.astype(mean.dtype) - mean) ** 2),
            weights,
            self.ema,
        )
        return jnp.sqrt(sum(jax.tree.leaves(squares)) + 1e-12)
