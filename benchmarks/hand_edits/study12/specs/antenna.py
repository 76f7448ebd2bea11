"""Dishes that listen together."""

from typing import Literal

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, buffer, call, data, groups, param, static, test


@groups(beam=["gain", "phase"])
@test(positive=["wavelength"], rejected=[{"bits": 0}])
class Antenna(Module, save=True):
    """What dishes at fixed places hear of a direction."""

    place: Float[Array, "dishes axes"] = buffer()
    """Where each dish stands"""
    working: Bool[Array, " dishes"] = buffer()
    wavelength: Float[Array, ""] = data()
    gain: Float[Array, " dishes"] = param("ones")
    phase: Float[Array, " dishes"] = param("uniform(0.5)")
    coupling: Float[Array, "dishes dishes"] | None = param("normal(0.05)", optional="coupled", decay=False)
    """How much each dish hears of the others"""
    drift: Float[Array, " dishes"] = data("zeros")
    calibrations: Int32[Array, ""] = buffer("zeros")
    window: Literal["flat", "hann", "cosine"] = static("flat")
    bits: int = static(4, check=lambda bits: bits > 0)
    hiss: float = static(0.2)
    flipped: bool = static(False)

    def __call__(self, direction: Float[Array, " axes"], *, tapered: bool = True) -> Float[Array, ""]:
        """The strength of a wave that comes from a direction."""
        heard = self.waves(direction)
        if tapered:
            heard = self.taper() * heard
        return jnp.sum(heard)

    def waves(self, direction: Float[Array, " axes"]) -> Float[Array, " dishes"]:
        """What each dish hears; 0 where it does not work."""
        angle = self.place @ direction / self.wavelength + self.phase + self.drift
        heard = self.gain * (jnp.sin(angle) if self.flipped else jnp.cos(angle))
        heard = jnp.where(self.working, heard, 0)
        if self.coupling is not None:
            heard = heard + self.coupling @ heard
        return heard

    def taper(self) -> Float[Array, " dishes"]:
        """How much each dish counts, by its place in the row."""
        count = self.gain.shape[0]
        at = (jnp.arange(count, dtype=self.gain.dtype) + 0.5) / count
        if self.window == "hann":
            return 1 - jnp.cos(2 * jnp.pi * at)
        if self.window == "cosine":
            return jnp.sin(jnp.pi * at)
        return jnp.ones_like(at)

    def pattern(self, directions: Float[Array, "n axes"], *, decibel: bool = False) -> Float[Array, " n"]:
        """The power from each of many directions."""
        power = jnp.square(jax.vmap(self)(directions))
        return 4.3 * jnp.log(power + 1e-2) if decibel else power

    def received(
        self, direction: Float[Array, " axes"], *, warm: bool = False, key: PRNGKeyArray
    ) -> tuple[Float[Array, " dishes"], Float[Array, " dishes"]]:
        """Two polarisations, each with a noise of its own."""
        first, second = jax.random.split(key)
        heard = self.waves(direction)
        level = 2 * self.hiss if warm else self.hiss
        return (
            heard + level * jax.random.normal(first, heard.shape, heard.dtype),
            0.5 * heard + level * jax.random.normal(second, heard.shape, heard.dtype),
        )

    def digitised(self, signal: Float[Array, "n dishes"]) -> Int32[Array, "n dishes"]:
        """A signal in whole steps, as many as there are bits for."""
        most = 2**self.bits - 1
        steps = jnp.round(most * jax.nn.sigmoid(signal * self.gain))
        return jnp.where(self.working, steps, 0).astype(jnp.int32)

    @call(carry="self")
    def calibrated(self, residual: Float[Array, " dishes"]) -> "Antenna":
        """With a drift that follows a residual, and one calibration more."""
        drift = 0.9 * self.drift - 0.1 * residual
        return eqx.tree_at(lambda one: (one.drift, one.calibrations), self, (drift, self.calibrations + 1))

    def nearest(self, spot: Float[Array, " axes"]) -> Int32[Array, ""]:
        """The dish that is closest to a spot."""
        return jnp.argmin(jnp.sum(jnp.square(self.place - spot), axis=1)).astype(jnp.int32)
