"""A seismometer that hears the ground."""

from typing import Literal

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32

from scaffold.skeleton import Module, buffer, data, param, state, static, test


@test(positive=["mass"], rejected=[{"decay": 1.0}, {"ratio": 0.5}])
class Seismometer(Module, save=True):
    """A mass on a spring, with averages over a short and a long time."""

    spring: Float[Array, "channels channels"] = param("lecun_normal")
    damping: Float[Array, " channels"] = param("full(0.7)")
    level: Float[Array, " channels"] | None = param("normal(0.1)", optional="tilted")
    mass: Float[Array, " channels"] = data()
    buried: Bool[Array, " channels"] = buffer()
    short: Float[Array, " channels"] = state("zeros")
    long: Float[Array, " channels"] = state("ones")
    shocks: Int32[Array, ""] = state("zeros")
    inference: bool = buffer(False)
    decay: float = static(0.8, check=lambda decay: 0 <= decay < 1)
    ratio: float = static(1.5, check=lambda ratio: ratio >= 1)
    recording: Literal["drum", "tape"] = static("drum")

    def __call__(self, ground: Float[Array, " channels"], *, loud: bool = False) -> Float[Array, " channels"]:
        """One sample: what the needle draws."""
        pull = self.spring @ (ground / self.mass)
        if self.level is not None:
            pull = pull + self.level
        heard = jnp.where(self.buried, 0.3 * pull, pull)
        if not self.inference:
            self.short = self.decay * self.short + (1 - self.decay) * jnp.abs(ground)
            self.long = 0.95 * self.long + 0.05 * jnp.abs(ground)
            self.shocks += jnp.any(self.short > self.ratio * self.long).astype(jnp.int32)
        drawn = heard * self.damping / (0.1 + self.long)
        if loud:
            drawn = 3 * drawn
        return jnp.tanh(drawn) if self.recording == "drum" else drawn

    def triggered(self, samples: Float[Array, "n channels"], *, every: bool = False) -> Bool[Array, " n"]:
        """Which samples are more than is usual."""
        above = jnp.abs(samples) > self.ratio * self.long
        return jnp.all(above, axis=1) if every else jnp.any(above, axis=1)

    def calibrated(self, pulse: Float[Array, " channels"]) -> Float[Array, " channels"]:
        """Take a known pulse for the long average, and tell what it replaces."""
        before = self.long
        self.long = jnp.abs(pulse) + 0.1
        self.short = jnp.zeros_like(self.short)
        return before

    def magnitude(
        self, samples: Float[Array, "n channels"], distance: Float[Array, ""] | None = None
    ) -> Float[Array, " channels"]:
        """How strong a shock is in each channel."""
        peak = jnp.max(jnp.abs(samples), axis=0) * self.mass
        return peak if distance is None else peak * jnp.exp(0.1 * distance)

    def response(self, frequencies: Float[Array, " m"]) -> Float[Array, "m channels"]:
        """The gain at each frequency."""
        squared = frequencies[:, None] ** 2
        return squared / jnp.sqrt((1 - squared) ** 2 + (2 * self.damping) ** 2 * squared + 0.1)
