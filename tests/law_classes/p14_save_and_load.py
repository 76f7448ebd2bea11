import threading

import equinox as eqx
import jax
import jax.numpy as jnp


class Guarded(eqx.Module):
    gain: jax.Array
    lock: object = eqx.field(static=True)

    def __init__(self, size: int):
        self.gain = jnp.ones(size, jnp.float32)
        self.lock = threading.Lock()  # can be neither copied nor pickled

    def __call__(self, x: jax.Array) -> jax.Array:
        with self.lock:
            return self.gain * x
