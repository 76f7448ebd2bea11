"""What the inner ear makes of a sound."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, buffer, param, state, static, test


@test(
    sizes={"bands": 5, "nerves": 3, "samples": 4},
    skip=["p12_inference_leaves_the_state: an ear that is tested hears all the same"],
)
class Cochlea(Module, save=True):
    """Resonators of many pitches, whose gain follows how loud it is, and nerves that they excite."""

    sharpness: Float[Array, " bands"] = param("full(2.0)", decay=False)
    """Before a sigmoid, how long a band rings"""
    sensitivity: Float[Array, " bands"] = param("normal(0.2)", std="0.2")
    """Logarithms of the gain of bands"""
    wiring: Float[Array, "nerves bands"] = param("lecun_normal")
    rest: Float[Array, " nerves"] | None = param("full(-0.5)", optional="use_rest")
    """What a nerve needs to fire"""
    pitches: Float[Array, " bands"] = buffer("=0.2 + 2.0 * jnp.arange(bands, dtype=dtype) / bands")
    """By what angle a band turns between two samples"""
    real: Float[Array, " bands"] = state("zeros")
    imaginary: Float[Array, " bands"] = state("zeros")
    loudness: Float[Array, ""] = state("full(0.5)")
    """A running mean of how loud it is"""
    heard: Int32[Array, ""] = state("zeros")
    inference: bool = buffer(False)
    memory: float = static(0.8, check=lambda memory: 0 <= memory < 1)
    compress: bool = static(True)
    """Whether loud sounds are made quieter"""

    def __call__(
        self, sample: Float[Array, ""], *, key: PRNGKeyArray | None = None
    ) -> Float[Array, " nerves"]:
        """How much each nerve fires at a sample; the nerves are noisy where there is a key."""
        self.loudness = self.memory * self.loudness + (1 - self.memory) * jnp.abs(sample)
        gained = sample / (0.1 + self.loudness) if self.compress else sample
        keep = jax.nn.sigmoid(self.sharpness)
        cosine, sine = jnp.cos(self.pitches), jnp.sin(self.pitches)
        real, imaginary = self.real, self.imaginary
        self.real = keep * (cosine * real - sine * imaginary) + (1 - keep) * gained
        self.imaginary = keep * (sine * real + cosine * imaginary)
        self.heard += 1
        fired = self.fire(jnp.sqrt(self.real**2 + self.imaginary**2 + 1e-3))
        if key is not None and not self.inference:
            fired = fired * jnp.exp(0.1 * jax.random.normal(key, fired.shape, fired.dtype))
        return fired

    def fire(self, size: Float[Array, " bands"], *, spiking: bool = False) -> Float[Array, " nerves"]:
        """How much nerves fire at what the bands do, or whether they do where they are `spiking`."""
        excited = self.wiring @ (jnp.exp(self.sensitivity) * size)
        if self.rest is not None:
            excited = excited - jax.nn.softplus(self.rest)
        return jax.nn.sigmoid(8 * excited) if spiking else jax.nn.softplus(excited)

    def response(
        self, pitch: Float[Array, " samples"], *, decibels: bool = False
    ) -> Float[Array, "samples bands"]:
        """How much each band rings at a pure tone."""
        keep = jax.nn.sigmoid(self.sharpness)
        away = pitch[:, None] - self.pitches
        power = (1 - keep) ** 2 / (1 - 2 * keep * jnp.cos(away) + keep**2 + 1e-3)
        power = power * jnp.exp(2 * self.sensitivity)
        return 10 * jnp.log10(power) if decibels else jnp.sqrt(power)

    def silence(self, count: Float[Array, ""]) -> Float[Array, ""]:
        """Nothing is heard for so many samples; returns how much was ringing still."""
        ringing = jnp.sum(self.real**2 + self.imaginary**2)
        keep = jax.nn.sigmoid(self.sharpness) ** jnp.abs(count)
        self.real = keep * jnp.cos(count * self.pitches) * self.real
        self.imaginary = keep * self.imaginary
        self.loudness = self.loudness * self.memory ** jnp.abs(count)
        return ringing

    def masked(
        self, tone: Float[Array, " bands"], margin: Float[Array, ""] | None = None
    ) -> Float[Array, " bands"]:
        """What of a tone is heard above what rings already."""
        ringing = jnp.sqrt(self.real**2 + self.imaginary**2 + 1e-3)
        spread = 0.5 * ringing + 0.25 * (jnp.roll(ringing, 1) + jnp.roll(ringing, -1))
        floor = spread if margin is None else spread * jnp.exp(margin)
        return jax.nn.relu(jnp.abs(tone) - floor)

    def aged(self, years: Float[Array, ""], *, key: PRNGKeyArray) -> Float[Array, " bands"]:
        """How sensitive bands are years later; high pitches suffer most, each ear in its own way."""
        luck = jax.random.uniform(key, self.sensitivity.shape, self.sensitivity.dtype)
        return self.sensitivity - 0.01 * jnp.abs(years) * self.pitches * (0.5 + luck)

    def tired(self) -> Float[Array, ""]:
        """How much the gain was turned down."""
        return jnp.log1p(self.loudness * 10)
