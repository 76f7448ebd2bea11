"""A spectrograph and its detector."""

from typing import Literal

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32

from scaffold.skeleton import Module, buffer, derived, module, param, static, test


@test(positive=["exposure"], rejected=[{"gain": 0.0}, {"saturation": 0.0}])
class Spectrograph(Module, constructor="init", save=True, migrate=True):
    """Light of several orders on a row of pixels."""

    grating: Float[Array, "pixels orders"] = param("he_normal")
    raw_width: Float[Array, " pixels"] = param("full(0.4)")
    width: Float[Array, " pixels"] = derived(lambda self: jax.nn.softplus(self.raw_width))
    """How far light spreads"""
    sky: Float[Array, " pixels"] | None = param("normal(0.2)", optional="ground")
    fibre: eqx.nn.Linear = module(
        lambda orders, dtype, key: eqx.nn.Linear(orders, orders, dtype=dtype, key=key)
    )
    dark: Float[Array, " pixels"] = buffer()
    """What the detector reads without light"""
    dead: Bool[Array, " pixels"] = buffer()
    lines: Int32[Array, " marks"] = buffer()
    """The pixels of known lines"""
    gain: float = static(1.5, check=lambda gain: gain > 0)
    saturation: float = static(0.75, check=lambda saturation: saturation > 0)
    readout: Literal["linear", "log", "photon"] = static("linear")
    shutter: bool = static(True)

    def __call__(
        self,
        light: Float[Array, " orders"],
        exposure: Float[Array, ""] | None = None,
        *,
        subtract: bool = True,
        clipped: bool = False,
    ) -> Float[Array, " pixels"]:
        """One frame."""
        counts = self.gain * (self.grating @ self.fibre(light)) * self.width
        if exposure is not None and self.shutter:
            counts = counts * exposure
        if self.sky is not None:
            counts = counts + self.sky
        if not subtract:
            counts = counts + self.dark
        counts = jnp.where(self.dead, 0, counts)
        if clipped:
            counts = jnp.clip(counts, -self.saturation, self.saturation)
        if self.readout == "log":
            return jnp.sign(counts) * jnp.log1p(jnp.abs(counts))
        return jnp.sqrt(1 + counts**2) if self.readout == "photon" else counts

    def stacked(
        self, frames: Float[Array, "n pixels"], *, robust: bool = False
    ) -> tuple[Float[Array, " pixels"], Float[Array, " pixels"]]:
        """Many frames as one, and how much they differ."""
        clean = jnp.where(self.dead, 0, frames - self.dark)
        middle = jnp.median(clean, axis=0) if robust else jnp.mean(clean, axis=0)
        return middle, jnp.var(clean, axis=0)

    def centroid(self, frame: Float[Array, " pixels"]) -> Float[Array, ""]:
        """Where the light of a frame is."""
        weights = jnp.where(self.dead, 0, jnp.abs(frame) + 0.01)
        places = jnp.arange(len(frame), dtype=frame.dtype)
        return jnp.sum(weights * places) / jnp.sum(weights)

    def marked(self, frame: Float[Array, " pixels"], *, rim: int = 0) -> Float[Array, " marks"]:
        """How bright the known lines are."""
        inside = (self.lines >= rim) & (self.lines < len(frame) - rim)
        return jnp.where(inside, frame[self.lines], 0)

    def saturated(self, frames: Float[Array, "n pixels"]) -> Int32[Array, " n"]:
        """How many pixels of each frame are full."""
        return jnp.sum((jnp.abs(frames) >= self.saturation) & ~self.dead, axis=1, dtype=jnp.int32)
