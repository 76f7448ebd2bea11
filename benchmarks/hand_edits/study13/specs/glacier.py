"""Ice on a mountain."""

from typing import Literal

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, DTypeLike, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, buffer, call, data, derived, param, shared, static, test


@test(rejected=[{"exponent": 0.5}])
class Glacier(Module):
    """Cells of ice that flow, melt and crack."""

    flow: Float[Array, "cells cells"] = param("orthogonal(0.6)", frozen="calibrated")
    albedo: Float[Array, "cells bands"] = param("normal(0.3)")
    drainage: Float[Array, "bands cells"] = shared("albedo.T")
    """What melts under light drains the same way"""
    melt: Float[Array, " cells"] = param("full(0.3)", decay=False)
    dust: Float[Array, " bands"] | None = param("ones", optional="dusty")
    bed: Float[Array, " cells"] = data()
    """Height of the rock"""
    rock: Bool[Array, " cells"] = buffer()
    """Where rock shows"""
    slope: Float[Array, " cells"] = buffer()
    calibrated: bool = static(False)
    law: Literal["glen", "linear", "plastic"] = static("glen")
    exponent: float = static(3.0, check=lambda exponent: exponent >= 1)
    tidewater: bool = static(False)
    softness: Float[Array, " cells"] = derived(lambda self: jax.nn.softplus(self.melt))

    @classmethod
    def flat(cls, cells: int, bands: int, dtype: DTypeLike | None = None, *, key: PRNGKeyArray) -> "Glacier":
        """A glacier on a plain without rock."""
        flat = jnp.zeros(cells, dtype)
        return cls.create(bands, flat, jnp.zeros(cells, bool), flat, dtype=dtype, key=key)

    def __call__(
        self, sun: Float[Array, " bands"], *, summer: bool = True
    ) -> tuple[Float[Array, " cells"], Float[Array, " bands"]]:
        """How much ice is lost in each cell, and the water that runs off."""
        light = sun if self.dust is None else sun * self.dust
        warmth = jax.nn.sigmoid(self.albedo @ light)
        lost = self.softness * (warmth if summer else 0.2 * warmth)
        lost = jnp.where(self.rock, 0, lost)
        moved = self.flow @ lost + lost
        if self.tidewater:
            moved = moved + 0.1 * jnp.tanh(self.bed)
        return moved, self.drainage @ moved

    def slide(self, stress: Float[Array, " cells"], *, wet: bool = False) -> Float[Array, " cells"]:
        """How fast the ice slides."""
        driven = self.slope * stress
        if wet:
            driven = 1.5 * driven
        if self.law == "linear":
            return self.softness * driven
        if self.law == "plastic":
            return self.softness * jnp.tanh(driven)
        return self.softness * jnp.sign(driven) * (jnp.abs(driven) + 0.01) ** self.exponent

    def cracks(self, stress: Float[Array, "n cells"], limit: Float[Array, ""]) -> Int32[Array, " n"]:
        """How many cells crack at each time."""
        cracked = (stress * self.softness > limit) & ~self.rock
        return jnp.sum(cracked, axis=1, dtype=jnp.int32)

    def snowed(
        self, amount: Float[Array, " cells"], *, gusty: bool = False, key: PRNGKeyArray
    ) -> Float[Array, " cells"]:
        """Snow on each cell; gusts blow it about."""
        fallen = amount * jax.random.uniform(key, amount.shape, amount.dtype, 0.5, 1.5)
        if gusty:
            fallen = jnp.roll(fallen, 1)
        return jnp.where(self.rock, 0.3 * fallen, fallen)

    @call(carry="self")
    def eroded(self, years: Float[Array, ""]) -> "Glacier":
        """With a bed that is lower."""
        worn = 0.1 * years * jnp.exp(-jnp.square(self.slope))
        return eqx.tree_at(lambda one: one.bed, self, self.bed - worn)
