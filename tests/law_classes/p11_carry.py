import equinox as eqx
import jax
import jax.numpy as jnp


class Average(eqx.Module):
    decay: jax.Array

    def __init__(self):
        self.decay = jnp.asarray(0.9, jnp.float32)

    def __call__(self, mean: jax.Array, x: jax.Array) -> tuple[jax.Array, jax.Array]:
        mean = (self.decay * mean + (1 - self.decay) * x).astype(jnp.float16)
        return mean, x - mean
