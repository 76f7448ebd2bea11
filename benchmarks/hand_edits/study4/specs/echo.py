"""An adaptive filter that removes the echo of a far signal from a microphone."""

import jax.numpy as jnp
from jaxtyping import Array, Float, Int32

from scaffold.skeleton import Module, param, state, static


class Echo(Module):
    """A normalised least-mean-squares filter, one sample a call."""

    log_step: Float[Array, ""] = param("full(-1.0)")
    """Logarithm of the step size, which is learnt"""
    window: Float[Array, " taps"] | None = param("ones", optional="shaped")
    """How much each sample of the far signal counts"""
    gain: Float[Array, ""] = param("ones", decay=False)
    history: Float[Array, " taps"] = state("zeros")
    """The last samples of the far signal, the newest first"""
    filter: Float[Array, " taps"] = state("zeros")
    power: Float[Array, ""] = state("ones")
    """Running mean of the squared far signal"""
    seen: Int32[Array, ""] = state("zeros")
    leak: float = static(0.99, check=lambda leak: 0 < leak <= 1)
    """What is kept of the filter at each sample"""
    smoothing: float = static(0.9, check=lambda smoothing: 0 <= smoothing < 1)
    clip: float | None = static(None)
    """The largest error that the filter learns from"""
    frozen: bool = static(False)

    def __call__(self, far: Float[Array, ""], microphone: Float[Array, ""]) -> Float[Array, ""]:
        """The microphone without the echo, after the filter has learnt from it."""
        self.history = jnp.roll(self.history, 1).at[0].set(far)
        self.power = self.smoothing * self.power + (1 - self.smoothing) * far**2
        samples = self.history if self.window is None else self.window * self.history
        error = microphone - self.filter @ samples
        if not self.frozen:
            limited = error if self.clip is None else jnp.clip(error, -self.clip, self.clip)
            rate = jnp.exp(self.log_step) / (self.power * self.history.shape[0] + 1e-3)
            self.filter = self.leak * self.filter + rate * limited * samples
            self.seen += 1
        return self.gain * error

    def predicted(self, samples: Float[Array, " taps"]) -> Float[Array, ""]:
        """The echo of these samples of the far signal, the newest first."""
        return self.filter @ samples

    def forgotten(self, keep: Float[Array, ""], *, everything: bool = False) -> Float[Array, " taps"]:
        """Shrink the filter, and forget the history if `everything` goes."""
        self.filter = keep * self.filter
        if everything:
            self.history = jnp.zeros_like(self.history)
            self.seen = jnp.zeros_like(self.seen)
        return self.filter
