import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np


class Noisy(eqx.Module):
    weight: jax.Array

    def __init__(self, size: int, *, key: jax.Array):
        # Not from the key: each instance is another one.
        self.weight = jnp.asarray(np.random.normal(size=size), jnp.float32)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * x
