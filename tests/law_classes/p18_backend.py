import equinox as eqx
import jax
import jax.numpy as jnp


class Placed(eqx.Module):
    gain: jax.Array

    def __init__(self, size: int):
        self.gain = jax.device_put(jnp.ones(size, jnp.float32), jax.devices()[0])

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.gain * x
