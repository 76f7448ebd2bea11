"""Inks on paper."""

from typing import Literal

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, Key, PRNGKeyArray

from scaffold.skeleton import Pytree, buffer, call, data, derived, groups, param, static, test


@groups(tone=["gain", "gamma"])
@test(rejected=[{"screen": 0}])
class Palette(Pytree, rebuild="bypass", save=True):
    """Colours that inks make on a paper."""

    ink: Float[Array, "inks bands"] = param("normal(0.4)")
    gain: Float[Array, " inks"] = param("ones")
    gamma: Float[Array, ""] = param("full(0.8)")
    extra: dict[str, Float[Array, " bands"]] = data()
    """Spot colours"""
    paper: Float[Array, " bands"] = buffer()
    usable: Bool[Array, " inks"] = buffer()
    sheets: Int32[Array, ""] = buffer("zeros")
    grain: Key[Array, ""] = buffer()
    screen: int = static(4, check=lambda screen: screen > 0)
    coated: bool = static(False)
    intent: Literal["photo", "spot", "proof"] = static("photo")
    density: Float[Array, "inks bands"] = derived(lambda self: jnp.square(self.ink))

    def __call__(self, cover: Float[Array, " inks"], *, dry: bool = True) -> Float[Array, " bands"]:
        """The light that a patch reflects."""
        spread = self.gain * jax.nn.sigmoid(cover)
        spread = jnp.where(self.usable, spread, 0)
        absorbed = spread @ self.density
        if not dry:
            absorbed = 1.2 * absorbed
        light = self.paper * jnp.exp(-self.gamma * absorbed)
        return light + 0.05 if self.coated else light

    def spots(self, amount: Float[Array, ""]) -> dict[str, Float[Array, " bands"]]:
        """The light of each spot colour."""
        return {name: self.paper * jnp.exp(-amount * colour) for name, colour in self.extra.items()}

    def halftone(self, cover: Float[Array, "n inks"], *, jitter: bool = True) -> Int32[Array, "n inks"]:
        """Dots of a screen, with a threshold that the grain moves."""
        level = self.screen * jax.nn.sigmoid(cover)
        if jitter:
            level = level + jax.random.uniform(self.grain, cover.shape, cover.dtype) - 0.5
        return jnp.clip(jnp.round(level), 0, self.screen).astype(jnp.int32)

    @call(carry="self")
    def printed(self, sheets: Int32[Array, ""]) -> "Palette":
        """With more sheets behind it, and another grain."""
        grain = jax.random.fold_in(self.grain, sheets)
        return eqx.tree_at(lambda one: (one.sheets, one.grain), self, (self.sheets + sheets, grain))

    def error(
        self, cover: Float[Array, " inks"], target: Float[Array, " bands"], *, key: PRNGKeyArray
    ) -> tuple[Float[Array, ""], Float[Array, " bands"]]:
        """How far a patch is from its target, and where; proofs are seen with noise."""
        away = self(cover) - target
        if self.intent == "proof":
            away = away + 0.1 * jax.random.normal(key, away.shape, away.dtype)
        weight = 2.0 if self.intent == "spot" else 1.0
        return weight * jnp.mean(jnp.square(away)), away
