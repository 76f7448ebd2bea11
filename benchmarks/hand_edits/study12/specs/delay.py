"""An echo."""

from typing import Literal

import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Nnx, buffer, data, module, param, state, static, test


@test(rejected=[{"leak": 1.0}])
class Delay(Nnx, save=True):
    """A line of samples that come back, more quietly each time."""

    feedback: Float[Array, " channels"] = param("full(0.4)")
    wet: Float[Array, " channels"] = param("ones")
    matrix: Float[Array, "channels channels"] = param("orthogonal", frozen=True)
    """How channels mix on their way"""
    colour: nnx.Linear = module(lambda channels, rngs: nnx.Linear(channels, channels, rngs=rngs))
    warmth: Float[Array, " channels"] | None = param("full(0.3)", optional="use_warmth")
    muted: Bool[Array, " channels"] = buffer()
    trim: Float[Array, " channels"] = data(variable="Perturbation")
    line: Float[Array, "length channels"] = state("zeros", variable="Cache")
    level: Float[Array, " channels"] = state("ones", variable="BatchStat")
    played: Int32[Array, ""] = buffer("zeros", variable="Count")
    mode: Literal["digital", "tape"] = static("digital")
    leak: float = static(0.1, check=lambda leak: 0 <= leak < 1)
    length: int = static(4)
    clipped: bool = static(False)

    def __call__(
        self, sample: Float[Array, " channels"], *, learning: bool = True
    ) -> Float[Array, " channels"]:
        """Play one sample, and put it into the line."""
        echo = self.matrix @ self.line[-1]
        if self.mode == "tape":
            echo = (1 - self.leak) * jnp.tanh(echo)
        if self.warmth is not None:
            echo = echo + self.warmth * jnp.square(echo)
        sound = self.trim * sample + self.feedback * echo
        self.line = jnp.concatenate([sound[None], self.line[:-1]])
        self.played += 1
        if learning:
            self.level = 0.95 * self.level + 0.05 * jnp.square(sound)
        wet = self.colour(echo / jnp.sqrt(self.level + 1e-2))
        out = jnp.where(self.muted, 0, sample + self.wet * wet)
        return jnp.clip(out, -4, 4) if self.clipped else out

    def tail(self, gain: Float[Array, ""]) -> Float[Array, "length channels"]:
        """What is still in the line, the oldest first."""
        return gain * self.line[::-1] * self.feedback

    def filled(
        self, samples: Float[Array, "length channels"], *, fade: bool = False
    ) -> Float[Array, " channels"]:
        """Put samples in the place of the line, and say how loud each channel was."""
        before = jnp.mean(jnp.abs(self.line), axis=0)
        self.line = 0.5 * samples if fade else samples
        return before

    def hissing(self, sample: Float[Array, " channels"], *, key: PRNGKeyArray) -> Float[Array, " channels"]:
        """A sample with the noise of a tape; digital lines have less."""
        amount = 0.1 if self.mode == "tape" else 0.01
        noise = jax.random.normal(key, sample.shape, sample.dtype)
        return sample + amount * noise * jnp.sqrt(self.level)

    def loud(self, samples: Float[Array, "n channels"]) -> Int32[Array, ""]:
        """How many samples are above the level in some channel that is not muted."""
        above = (jnp.square(samples) > self.level) & ~self.muted
        return jnp.sum(jnp.any(above, axis=1), dtype=jnp.int32)

    def loudness(self, sample: Float[Array, " channels"], *, slow: bool = False) -> Float[Array, " channels"]:
        """Follow a sample with the level alone."""
        kept = 0.99 if slow else 0.9
        self.level = kept * self.level + (1 - kept) * jnp.square(sample)
        return jnp.sqrt(self.level)
