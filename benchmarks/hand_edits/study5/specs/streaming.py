"""A causal convolution over time that can go on where it stopped."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int32

from scaffold.skeleton import Nnx, param, state, static, test


@test(sizes={"time": 7, "width": 3, "channels": 5})
class Streaming(Nnx, constructor="init", save=True):
    """Convolves each channel with the past, by whole signals or by single samples."""

    taps: Float[Array, "width channels"] = param("normal(0.3)")
    mix: Float[Array, "channels channels"] = param("orthogonal")
    bias: Float[Array, " channels"] | None = param("zeros", optional="use_bias")
    recent: Float[Array, "width-1 channels"] = state("zeros", variable="Cache")
    """The last samples that were heard"""
    level: Float[Array, " channels"] | None = state("ones", variable="BatchStat", optional="normalise")
    """A running mean of the squared output"""
    heard: Int32[Array, ""] = state("zeros", variable="Count")
    decay: float = static(0.95, check=lambda decay: 0 <= decay < 1)
    residual: bool = static(False)

    def __call__(self, x: Float[Array, "time channels"]) -> Float[Array, "time channels"]:
        """The output for a signal that goes on where the last one stopped."""
        width = self.taps.shape[0]
        past = jnp.concatenate([self.recent, x])
        windows = jnp.stack([past[at : at + x.shape[0]] for at in range(width)])
        y = jnp.einsum("wtc,wc->tc", windows, self.taps)
        self.recent = past[past.shape[0] - (width - 1) :]
        self.heard += x.shape[0]
        return self.finish(x, y)

    def step(self, sample: Float[Array, " channels"]) -> Float[Array, " channels"]:
        """The output for the next sample."""
        window = jnp.concatenate([self.recent, sample[None]])
        y = jnp.sum(window * self.taps, axis=0)
        self.recent = window[1:]
        self.heard += 1
        return self.finish(sample[None], y[None])[0]

    def finish(
        self, x: Float[Array, "time channels"], y: Float[Array, "time channels"]
    ) -> Float[Array, "time channels"]:
        """Normalise by the level so far, mix the channels, and add the input where it is kept."""
        if self.level is not None:
            mean = jnp.mean(y**2, axis=0)
            self.level = self.decay * self.level + (1 - self.decay) * mean
            y = y * jax.lax.rsqrt(self.level + 1e-5)
        y = jax.nn.gelu(y) @ self.mix
        if self.bias is not None:
            y = y + self.bias
        return x + y if self.residual else y

    def reset(self) -> None:
        """Forget the signal, but not the level."""
        self.recent = jnp.zeros_like(self.recent)
        self.heard = jnp.zeros_like(self.heard)

    def response(self, length: int = 4) -> Float[Array, "4 channels"]:
        """The answer of the taps to a single impulse."""
        width = self.taps.shape[0]
        padded = jnp.pad(self.taps[::-1], ((0, max(length - width, 0)), (0, 0)))
        return padded[:length]
