"""A kiln that fires pots."""

from typing import Literal

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32

from scaffold.skeleton import Module, buffer, call, data, groups, param, static, test


@groups(glaze=["melt", "tint"])
@test(positive=["brick"], rejected=[{"draught": 1.5}])
class Kiln(Module, save=True):
    """Pots on shelves, with glazes that melt."""

    conduct: Float[Array, "shelves burners"] = param("glorot_normal")
    melt: Float[Array, " oxides"] = param("full(0.6)")
    tint: Float[Array, "colours oxides"] = param("normal(0.5)")
    damper: Float[Array, " shelves"] | None = param("full(0.8)", optional="damped", decay=False)
    brick: Float[Array, " shelves"] = buffer()
    """How much heat the bricks of a shelf take"""
    cracked: Bool[Array, " shelves"] = buffer()
    cones: Int32[Array, " shelves"] = buffer()
    """The cone that stands on each shelf"""
    ambient: Float[Array, ""] = data("full(0.2)")
    atmosphere: Literal["oxidising", "reducing", "salt"] = static("oxidising")
    draught: float = static(0.3, check=lambda draught: 0 <= draught < 1)
    insulated: bool = static(False)

    def __call__(self, fuel: Float[Array, " burners"], *, soaking: bool = False) -> Float[Array, " shelves"]:
        """The heat of each shelf, that of the room where it is cracked."""
        heat = self.conduct @ self.flame(fuel) / (1 + self.brick)
        if self.damper is not None and not soaking:
            heat = self.damper * heat
        if not self.insulated:
            heat = 0.9 * heat
        return jnp.where(self.cracked, 0, heat) + self.ambient

    def flame(self, fuel: Float[Array, " burners"]) -> Float[Array, " burners"]:
        """What burns of the fuel."""
        burnt = (1 - self.draught) * jax.nn.softplus(fuel)
        if self.atmosphere == "oxidising":
            return burnt
        return 0.7 * burnt if self.atmosphere == "reducing" else jnp.tanh(burnt)

    def glazed(
        self, heat: Float[Array, " shelves"], recipe: Float[Array, " oxides"], *, thick: bool = False
    ) -> Float[Array, "shelves colours"]:
        """The colours of a glaze on each shelf."""
        molten = jax.nn.sigmoid(heat[:, None] - self.melt) * recipe
        colours = molten @ self.tint.T
        return jnp.sqrt(1 + jnp.square(colours)) if thick else colours

    def bent(
        self, heats: Float[Array, "n shelves"], *, share: bool = False
    ) -> Int32[Array, " shelves"] | Float[Array, " shelves"]:
        """In how many firings the cone of each shelf bends."""
        firings = jnp.sum(heats > 0.1 * self.cones, axis=0, dtype=jnp.int32)
        return firings / jnp.asarray(len(heats), heats.dtype) if share else firings

    def wasted(self, fuel: Float[Array, "n burners"]) -> tuple[Float[Array, " n"], Float[Array, ""]]:
        """The heat that the bricks take at each firing, and the most of it."""
        taken = jax.vmap(lambda one: jnp.sum(self.brick * (self.conduct @ one)))(fuel)
        return taken, jnp.max(taken)

    @call(carry="self")
    def opened(self, outside: Float[Array, ""]) -> "Kiln":
        """With the air of the room, in part."""
        ambient = 0.75 * self.ambient + 0.25 * outside
        return eqx.tree_at(lambda kiln: kiln.ambient, self, ambient)
