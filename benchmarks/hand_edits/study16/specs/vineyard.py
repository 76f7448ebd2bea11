"""A vineyard that ripens with the weather."""

from typing import Literal

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32

from scaffold.skeleton import Module, buffer, data, param, state, static, test


@test(rejected=[{"capacity": 0.0}, {"base": -0.2}])
class Vineyard(Module, save=True):
    """Vines whose grapes gain sugar above a base temperature, while the soil dries."""

    vigour: Float[Array, "vines plots"] = param("glorot_uniform")
    thirst: Float[Array, " vines"] = param("full(0.6)", decay=False)
    graft: Float[Array, " vines"] | None = param("normal(0.2)", optional="grafted")
    aspect: Float[Array, " vines"] = data()
    """How much each vine faces the sun"""
    shaded: Bool[Array, " vines"] = buffer()
    sugar: Float[Array, " vines"] = state("zeros")
    moisture: Float[Array, " plots"] = state("full(0.5)")
    days: Int32[Array, ""] = state("zeros")
    inference: bool = buffer(False)
    base: float = static(0.1, check=lambda base: base >= 0)
    """The temperature below which nothing grows"""
    capacity: float = static(2.0, check=lambda capacity: capacity > 0)
    pruning: Literal["guyot", "cordon", "bush"] = static("guyot")

    def __call__(self, heat: Float[Array, " plots"], *, watered: bool = False) -> Float[Array, " vines"]:
        """One day: what each vine gains."""
        warmth = jnp.maximum(heat, self.base) - self.base
        gain = self.vigour @ (warmth + self.moisture)
        if self.graft is not None:
            gain = gain + self.graft
        gain = jnp.where(self.shaded, 0.4 * gain, gain * self.aspect)
        if self.pruning == "cordon":
            gain = jax.nn.silu(gain)
        elif self.pruning == "bush":
            gain = gain - jnp.mean(gain)
        if not self.inference:
            self.moisture = 0.8 * self.moisture + (0.2 if watered else 0.05)
            self.sugar = self.sugar + gain / self.capacity
            self.days += 1
        return gain * jax.nn.sigmoid(self.thirst)

    def picked(self, ripe: Bool[Array, " vines"]) -> Float[Array, " vines"]:
        """Take the sugar of the vines that are ripe, and leave that of the others."""
        taken = jnp.where(ripe, self.sugar, 0)
        self.sugar = self.sugar - taken
        return taken

    def outlook(self, heats: Float[Array, "n plots"], *, total: bool = False) -> Float[Array, "n vines"]:
        """The sugar after each of some days to come, or what they add up to."""
        gains = jnp.maximum(heats - self.base, 0) @ self.vigour.T / self.capacity
        if total:
            gains = jnp.cumsum(gains, axis=0)
        return self.sugar + gains

    def pressed(
        self, grapes: Float[Array, "n vines"], skins: Float[Array, ""] | None = None
    ) -> tuple[Float[Array, " n"], Int32[Array, ""]]:
        """The must of each pressing, and which is the richest."""
        must = grapes @ jnp.where(self.shaded, 0.5, 1).astype(grapes.dtype)
        if skins is not None:
            must = must + skins * jnp.max(grapes, axis=1)
        return must, jnp.argmax(must).astype(jnp.int32)

    def frosted(self, nights: Float[Array, "n plots"], *, limit: int = 2) -> Bool[Array, " plots"]:
        """The plots with more cold nights than they bear."""
        return jnp.sum(nights < -self.base, axis=0) > limit
