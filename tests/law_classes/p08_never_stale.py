import equinox as eqx
import jax
import jax.numpy as jnp


class Softplus(eqx.Module):
    raw: jax.Array  # trained
    scale: jax.Array  # made of `raw`, once

    def __init__(self, size: int):
        self.raw = jnp.ones(size, jnp.float32)
        self.scale = jax.nn.softplus(self.raw)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.scale * x
