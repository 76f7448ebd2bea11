import jax.numpy as jnp
from jaxtyping import Array, Float

from scaffold.skeleton import Module, param


class AffineCoupling(Module):
    """A layer of a flow: the first half of a vector scales and shifts the second."""

    weight: Float[Array, "2*half half"] = param("normal(0.5)")
    bias: Float[Array, " 2*half"] = param("zeros")

    def forward(self, x: Float[Array, " 2*half"]) -> tuple[Float[Array, " 2*half"], Float[Array, ""]]:
        """Map `x`, with the logarithm of the determinant."""
        kept, changed = jnp.split(x, 2)
        log_scale, shift = self._parts(kept)
        return jnp.concatenate([kept, changed * jnp.exp(log_scale) + shift]), jnp.sum(log_scale)

    def inverse(self, z: Float[Array, " 2*half"]) -> tuple[Float[Array, " 2*half"], Float[Array, ""]]:
        """Map `z` back, with the logarithm of the determinant of that."""
        kept, changed = jnp.split(z, 2)
        log_scale, shift = self._parts(kept)
        return jnp.concatenate([kept, (changed - shift) * jnp.exp(-log_scale)]), -jnp.sum(log_scale)

    def _parts(self, kept: Float[Array, " half"]) -> tuple[Float[Array, " half"], Float[Array, " half"]]:
        log_scale, shift = jnp.split(self.weight @ kept + self.bias, 2)
        return jnp.tanh(log_scale), shift
