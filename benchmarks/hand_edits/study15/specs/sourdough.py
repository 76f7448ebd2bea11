"""A sourdough that is fed and baked."""

from typing import Literal

import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Bool, Float, Int32

from scaffold.skeleton import Nnx, buffer, data, module, param, state, static, test


@test(rejected=[{"salt": 1.0}])
class Sourdough(Nnx, save=True):
    """Strains of yeast that live on flours."""

    appetite: Float[Array, "strains flours"] = param("he_normal")
    vigour: Float[Array, " strains"] = param("full(0.9)")
    heritage: Float[Array, " strains"] = param("full(1.3)", frozen=True)
    """What the starter brought along"""
    ash: Float[Array, " flours"] = data(variable="Mill")
    wild: Bool[Array, " strains"] = buffer()
    ages: Int32[Array, " strains"] = buffer()
    sieve: nnx.Linear = module(lambda flours, rngs: nnx.Linear(flours, flours, rngs=rngs))
    spill: nnx.Dropout = module(lambda rngs: nnx.Dropout(0.3, rngs=rngs))
    acid: Float[Array, " strains"] = state("zeros", variable="Acid")
    usual: Float[Array, " flours"] = state("ones", variable="BatchStat")
    feedings: Int32[Array, ""] = buffer("zeros", variable="Count")
    crust: Literal["thin", "thick", "burnt"] = static("thin")
    salt: float = static(0.2, check=lambda salt: 0 <= salt < 1)
    chilled: bool = static(False)

    def __call__(self, meal: Float[Array, " flours"], *, training: bool = True) -> Float[Array, " strains"]:
        """Feed the starter: how much each strain grows."""
        eaten = self.spill(self.sieve(meal * self.ash), deterministic=not training)
        if training:
            self.usual = 0.9 * self.usual + 0.1 * jnp.abs(meal)
            self.feedings += 1
        grown = self.vigour * (self.appetite @ (eaten / (0.2 + self.usual)))
        grown = jnp.where(self.wild, 1.5 * grown, grown)
        if self.chilled:
            grown = 0.5 * grown
        grown = (1 - self.salt) * grown + self.heritage
        if training:
            self.acid = self.acid + 0.1 * grown
        return self.risen(grown)

    def risen(self, dough: Float[Array, " strains"]) -> Float[Array, " strains"]:
        """What the oven makes of a dough."""
        if self.crust == "thin":
            return jax.nn.elu(dough)
        return jnp.tanh(dough) if self.crust == "thick" else dough - self.acid

    def refreshed(self, share: Float[Array, " strains"]) -> Float[Array, " strains"]:
        """Pour off a share of the acid, and say how much is left."""
        self.acid = self.acid * (1 - jnp.clip(share, 0, 1))
        return self.acid

    def tasted(self, loaves: Float[Array, "n strains"], *, mild: bool = False) -> Float[Array, " n"]:
        """How sour each loaf is."""
        sourness = loaves * jnp.where(self.wild, self.heritage, 1)
        return jnp.mean(sourness, axis=1) if mild else jnp.max(sourness, axis=1)

    def older(self, picked: Int32[Array, " m"], *, than: int = 2) -> Int32[Array, ""]:
        """How many of the strains that are picked are older."""
        return jnp.sum(self.ages[picked] > than, dtype=jnp.int32)
