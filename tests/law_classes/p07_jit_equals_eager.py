import equinox as eqx
import jax
import jax.numpy as jnp


class Clipped(eqx.Module):
    gain: jax.Array

    def __init__(self, size: int):
        self.gain = jnp.ones(size, jnp.float32)

    def __call__(self, x: jax.Array) -> jax.Array:
        if x.sum() > 0:  # no traced value has a truth value
            return self.gain * x
        return x
