"""A perfume, and the atelier in which it is mixed."""

from typing import Literal

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, TrainState, buffer, data, groups, param, shared, static, test


@test(rejected=[{"proof": 0.0}], unused=["memory"])
@groups(base=["accord", "musk"])
class Perfume(Module, compute="bfloat16"):
    """Notes that are mixed of oils."""

    accord: Float[Array, "notes oils"] = param("glorot_uniform")
    memory: Float[Array, "oils notes"] = shared("accord.T")
    """The oils that a note reminds of"""
    musk: Float[Array, " notes"] = param("full(0.3)", decay=False, compute=False)
    still: Float[Array, "oils oils"] = param("orthogonal", frozen="distilled")
    zest: Float[Array, " oils"] | None = param("uniform(0.4)", optional="zesty", decay=False)
    sealed: Bool[Array, " oils"] = buffer()
    shelf: Int32[Array, " oils"] = buffer("zeros")
    proof: float = static(0.8, check=lambda proof: proof > 0)
    family: Literal["floral", "woody", "citrus"] = static("floral")
    distilled: bool = static(True)

    def __call__(self, drops: Float[Array, " oils"], *, warm: bool = False) -> Float[Array, " notes"]:
        """How the mix smells."""
        blend = self.still @ jnp.where(self.sealed, 0.2 * drops, drops)
        if self.zest is not None:
            blend = blend * (1 + self.zest)
        if self.family == "woody":
            blend = jnp.tanh(blend)
        elif self.family == "citrus":
            blend = self.proof * jnp.cos(blend)
        scent = (self.accord @ blend).astype(jnp.float32) - self.musk
        return scent * jax.nn.sigmoid(scent) if warm else scent

    def recalled(self, scents: Float[Array, "n notes"], *, faint: bool = False) -> Float[Array, "n oils"]:
        """The oils that scents remind of."""
        oils = scents @ self.memory.T
        return self.proof * oils if faint else jax.nn.softmax(oils, axis=1)

    def aged(self, years: Int32[Array, "n oils"], *, least: int = 1) -> Int32[Array, "n oils"]:
        """How old the oils are after each of these."""
        return jnp.maximum(self.shelf + jnp.cumsum(years, axis=0), least).astype(jnp.int32)

    def spilled(
        self, mixes: Float[Array, "n oils"], *, key: PRNGKeyArray, wiped: bool = False
    ) -> Float[Array, "n oils"]:
        """The mixes, of which some is lost."""
        drop, cloth = jax.random.split(key)
        lost = mixes * jax.random.uniform(drop, mixes.shape, mixes.dtype)
        return jnp.where(jax.random.bernoulli(cloth, 0.4, lost.shape), 0, lost) if wiped else lost


@test(rejected=[{"doubt": -0.5}])
class Atelier(TrainState, ema=0.95, key=True, save=True):
    """A perfume, and what was thought of it."""

    model: Perfume
    fashion: Float[Array, " houses"] = data("full(0.4)")
    sold: Int32[Array, " houses"] = buffer("zeros")
    doubt: float = static(0.3, check=lambda doubt: doubt >= 0)

    def judged(self, votes: Float[Array, "n houses"], *, strict: bool = False) -> Float[Array, " houses"]:
        """What each house thinks."""
        liked = votes * self.fashion
        return (
            jnp.min(liked, axis=0)
            if strict
            else jnp.mean(liked, axis=0) - self.doubt * jnp.var(liked, axis=0)
        )

    def delivered(self, orders: Int32[Array, " m"]) -> Int32[Array, " houses"]:
        """How much each house has bought, with these."""
        return self.sold.at[orders].add(1)
