"""An equaliser that adapts to the channel while it runs."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, buffer, param, state, static, test


@test(
    sizes={"taps": 3, "length": 5},
    skip=["p12_inference_leaves_the_state: samples go on to come at inference, and the line holds them"],
)
class Equaliser(Module, save=True):
    """Filters a signal by taps that follow a known training signal, and by a fixed window."""

    gain: Float[Array, ""] = param("ones")
    bend: Float[Array, " taps"] = param("normal(0.3)", std="0.3")
    """How much each tap is bent by loud signals"""
    window: Float[Array, " taps"] = buffer()
    """By what the past is weighted"""
    line: Float[Array, " taps"] = state("zeros")
    """The last samples, the newest first"""
    weights: Float[Array, " taps"] = state("ones")
    power: Float[Array, ""] = state("ones")
    """A running mean of the power of the signal"""
    heard: Int32[Array, ""] = state("zeros")
    inference: bool = buffer(False)
    rate: float = static(0.1, check=lambda rate: 0 < rate <= 1)
    """How fast the taps follow"""
    normalised: bool = static(True)
    """Whether loud signals move the taps no more than silent ones"""

    def __call__(
        self, x: Float[Array, ""], target: Float[Array, ""] | None = None, *, key: PRNGKeyArray | None = None
    ) -> Float[Array, ""]:
        """Take a sample, and tell what was sent; the taps follow a target that is known, but not at inference."""
        if key is not None and not self.inference:
            x = x + 0.1 * jax.random.normal(key, x.shape, x.dtype)
        self.line = jnp.roll(self.line, 1).at[0].set(x)
        self.heard += 1
        seen = self.window * self.line
        told = jnp.sum(self.weights * seen) + jnp.sum(self.bend * jnp.tanh(seen) ** 3)
        if target is not None and not self.inference:
            self.power = 0.9 * self.power + 0.1 * x**2
            step = self.rate / (0.1 + self.power) if self.normalised else self.rate
            self.weights = self.weights + step * (target - told) * seen
        return self.gain * told

    def adapt(self, x: Float[Array, ""], target: Float[Array, ""], *, leak: float = 0.0) -> Float[Array, ""]:
        """Take a sample whose target is known, forget a share of the taps, and give the error."""
        self.line = jnp.roll(self.line, 1).at[0].set(x)
        self.heard += 1
        seen = self.window * self.line
        error = target - jnp.sum(self.weights * seen)
        self.weights = (1 - leak) * self.weights + self.rate * error * seen
        return error

    def flushed(self, *, taps: bool = False) -> Int32[Array, ""]:
        """Empty the line, and begin with new taps where asked to; how many samples were heard."""
        heard = self.heard
        self.line = jnp.zeros_like(self.line)
        self.heard = jnp.zeros_like(self.heard)
        if taps:
            self.weights = jnp.ones_like(self.weights)
        return heard

    def response(self, frequency: Float[Array, ""], *, decibels: bool = False) -> Float[Array, ""]:
        """How much of a frequency the taps let through."""
        angles = frequency * jnp.arange(self.weights.shape[0]).astype(self.weights.dtype)
        taps = self.gain * self.weights * self.window
        power = jnp.sum(taps * jnp.cos(angles)) ** 2 + jnp.sum(taps * jnp.sin(angles)) ** 2
        return 10 * jnp.log10(power + 1e-3) if decibels else power

    def gate(
        self, xs: Float[Array, " length"], kept: Bool[Array, " length"] | None = None, *, soft: bool = False
    ) -> Float[Array, " length"]:
        """Samples as far as they are louder than the signal was on average, or are to be kept anyway."""
        louder = xs**2 - self.power
        passes = jax.nn.sigmoid(4 * louder) if soft else (louder > 0).astype(xs.dtype)
        return xs * (passes if kept is None else jnp.where(kept, 1, passes))
