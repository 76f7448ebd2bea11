import equinox as eqx
import jax
import jax.numpy as jnp


class Tied(eqx.Module):
    encoder: jax.Array
    decoder: jax.Array

    def __init__(self, size: int, *, key: jax.Array):
        self.encoder = jax.random.normal(key, (size, size), jnp.float32)
        self.decoder = jax.random.normal(key, (size, size), jnp.float32)  # the same numbers

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.decoder @ jnp.tanh(self.encoder @ x)
