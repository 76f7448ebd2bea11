"""A layer of a normalising flow that begins with the statistics of its first batch."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from scaffold.skeleton import Module, buffer, param, state, static, test


@test(
    holds=[{"name": "the inverse undoes the forward pass", "that": "close(self.inverse(self.forward(y)), y)"}]
)
class Actnorm(Module):
    """Shifts and scales: by its first batch, which it keeps, and by what is trained."""

    shift: Float[Array, " size"] = param("zeros")
    log_scale: Float[Array, " size"] = param("zeros")
    rotation: Float[Array, "size size"] = param("orthogonal", frozen=True)
    mean: Float[Array, " size"] = state("zeros")
    """Mean of the first batch"""
    deviation: Float[Array, " size"] = state("ones")
    begun: Bool[Array, ""] = state("zeros")
    floor: float = static(1e-3, check=lambda floor: floor > 0)
    """The least deviation"""
    bounded: bool = static(True)
    """Whether the scale is kept within a factor of e**2"""
    inference: bool = buffer(False)

    def __call__(self, x: Float[Array, "batch size"]) -> Float[Array, "batch size"]:
        """Normalise a batch, and turn it."""
        if not self.inference:
            mean = jax.lax.stop_gradient(jnp.mean(x, axis=0))
            deviation = jax.lax.stop_gradient(jnp.std(x, axis=0))
            self.mean = jnp.where(self.begun, self.mean, mean)
            self.deviation = jnp.where(self.begun, self.deviation, deviation)
            self.begun = jnp.ones_like(self.begun)
        z = (x - self.mean) / (self.deviation + self.floor)
        return jax.vmap(self.forward)(z) @ self.rotation

    def scales(self) -> Float[Array, " size"]:
        """The logarithms of the scales that are used."""
        return 2 * jnp.tanh(self.log_scale / 2) if self.bounded else self.log_scale

    def forward(self, y: Float[Array, " size"]) -> Float[Array, " size"]:
        """Shift and scale."""
        return (y + self.shift) * jnp.exp(self.scales())

    def inverse(self, z: Float[Array, " size"]) -> Float[Array, " size"]:
        """What `forward` made this of."""
        return z * jnp.exp(-self.scales()) - self.shift

    def log_det(self, *, per_entry: bool = False) -> Float[Array, ""]:
        """Logarithm of the change of volume by all that the layer does, or its mean over the entries."""
        entries = self.scales() - jnp.log(self.deviation + self.floor)
        return jnp.mean(entries) if per_entry else jnp.sum(entries)
