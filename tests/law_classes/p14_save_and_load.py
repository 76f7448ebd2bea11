import threading

import equinox as eqx
import jax
import jax.numpy as jnp

LOCK = threading.Lock()


class Guarded(eqx.Module):
    gain: jax.Array
    lock: object = eqx.field(static=True)

    def __init__(self, size: int):
        self.gain = jnp.ones(size, jnp.float32)
        self.lock = LOCK  # can be neither copied nor pickled

    def __call__(self, x: jax.Array) -> jax.Array:
        with self.lock:
            return self.gain * x
