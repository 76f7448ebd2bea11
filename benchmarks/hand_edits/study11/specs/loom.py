"""A loom."""

from typing import Literal

import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Bool, Float, Int32

from scaffold.skeleton import Nnx, buffer, data, module, param, state, static, test


@test(rejected=[{"slip": 1.5}])
class Loom(Nnx, save=True):
    """Threads that are woven, and wear the loom."""

    weave: Float[Array, "warp weft"] = param("lecun_normal")
    tension: Float[Array, " warp"] = param("ones")
    stiffness: Float[Array, " warp"] = param("full(0.7)", frozen=True)
    pattern: Int32[Array, " weft"] = buffer()
    """The shaft that lifts each thread"""
    gauge: Float[Array, " weft"] = data(variable="Perturbation")
    shuttle: nnx.Linear = module(lambda weft, rngs: nnx.Linear(weft, weft, rngs=rngs))
    wear: Float[Array, " warp"] = state("zeros", variable="Wear")
    spread: Float[Array, " weft"] = state("ones", variable="BatchStat")
    picks: Int32[Array, ""] = buffer("zeros", variable="Count")
    kind: Literal["plain", "twill", "satin"] = static("twill")
    slip: float = static(0.2, check=lambda slip: 0 <= slip < 1)
    shafts: int = static(2)
    oiled: bool = static(False)

    def __call__(self, thread: Float[Array, " weft"], *, training: bool = True) -> Float[Array, " warp"]:
        """Weave one thread."""
        lifted = jnp.where(self.pattern % self.shafts == 0, thread, -thread)
        if training:
            self.spread = 0.9 * self.spread + 0.1 * jnp.square(thread)
            self.wear = self.wear + (0.01 if self.oiled else 0.1) * jnp.abs(self.tension)
            self.picks += 1
        scaled = self.shuttle(lifted * self.gauge / jnp.sqrt(self.spread + 1e-3))
        cloth = self.tension * (self.weave @ scaled) * self.stiffness - self.wear
        return cloth if self.kind == "plain" else self.shifted(cloth)

    def shifted(self, cloth: Float[Array, " warp"]) -> Float[Array, " warp"]:
        """Shift the cloth as its kind says."""
        if self.kind == "plain":
            return cloth
        step = 1 if self.kind == "twill" else 2
        return (1 - self.slip) * cloth + self.slip * jnp.roll(cloth, step)

    def broken(self, pull: Float[Array, " warp"], *, strict: bool = False) -> Bool[Array, " warp"]:
        """Which threads a pull breaks."""
        strength = self.stiffness - (2 if strict else 1) * self.wear
        return pull * self.tension > strength

    def repaired(self, worn: Float[Array, " warp"]) -> Float[Array, " warp"]:
        """Take off some of the wear, and say how much is left."""
        self.wear = jnp.maximum(self.wear - worn, 0)
        return self.wear

    def flaws(self, cloth: Float[Array, "n warp"]) -> Int32[Array, ""]:
        """How many picks of a cloth are slack."""
        slack = jnp.mean(cloth * self.tension, axis=1) < 0
        return jnp.sum(slack, dtype=jnp.int32)
