import equinox as eqx
import jax
import jax.numpy as jnp


class Centred(eqx.Module):
    gain: jax.Array

    def __init__(self, size: int):
        self.gain = jnp.ones(size, jnp.float32)

    def __call__(self, x: jax.Array) -> jax.Array:
        # A function of the host that takes no batch.
        return jax.pure_callback(lambda x: x - x.mean(), x, x) * self.gain
