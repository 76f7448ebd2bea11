"""A layer of neurons that fire."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int32

from scaffold.skeleton import Nnx, buffer, param, state, static


class Spiking(Nnx, constructor="init", save=True):
    """Leaky neurons that integrate what comes in, with a threshold that adapts."""

    weight: Float[Array, "in_size size"] = param("he_normal")
    lateral: Float[Array, "size size"] | None = param("orthogonal", optional="recurrent")
    """What a spike adds to other neurons at the next step"""
    gain: Float[Array, " size"] = param("ones")
    sign: Float[Array, " size"] = buffer("ones")
    """Which neurons excite, and which inhibit"""
    voltage: Float[Array, " size"] = state("zeros", variable="Cache")
    fired: Float[Array, " size"] = state("zeros", variable="Cache")
    """The last spikes"""
    threshold: Float[Array, " size"] | None = state("full(0.2)", variable="BatchStat", optional="adaptive")
    ticks: Int32[Array, ""] = state("zeros", variable="Tick")
    leak: float = static(0.9, check=lambda leak: 0 < leak < 1)
    soft: bool = static(True)
    """Whether a spike lowers the voltage by the threshold, and does not clear it"""

    def __call__(
        self, xs: Float[Array, "time in_size"], *, smooth: bool = False
    ) -> Float[Array, "time size"]:
        """How strongly neurons fire at each step, or in the mean so far."""
        spikes = jnp.stack([self.tick(x) for x in xs])
        if smooth:
            counts = jnp.arange(1, xs.shape[0] + 1).astype(spikes.dtype)
            spikes = jnp.cumsum(spikes, axis=0) / counts[:, None]
        return spikes

    def tick(self, x: Float[Array, " in_size"]) -> Float[Array, " size"]:
        """How strongly neurons fire at the next step."""
        current = self.gain * (x @ self.weight)
        if self.lateral is not None:
            current = current + (self.sign * self.fired) @ self.lateral
        limit = self.limit()
        left = self.voltage - limit * self.fired if self.soft else self.voltage * (1 - self.fired)
        self.voltage = self.leak * left + current
        self.fired = jax.nn.sigmoid(4 * (self.voltage - limit))
        self.ticks += 1
        if self.threshold is not None:
            self.threshold = self.leak * self.threshold + (1 - self.leak) * (0.2 + self.fired)
        return self.sign * self.fired

    def limit(self) -> Float[Array, " size"]:
        """The voltage above which a neuron fires."""
        return jnp.full_like(self.voltage, 0.2) if self.threshold is None else self.threshold

    def rest(self) -> None:
        """Let the neurons come to rest; the thresholds stay as they have adapted."""
        self.voltage = jnp.zeros_like(self.voltage)
        self.fired = jnp.zeros_like(self.fired)
        self.ticks = jnp.zeros_like(self.ticks)
