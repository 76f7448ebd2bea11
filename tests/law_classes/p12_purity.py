import equinox as eqx
import jax
import jax.numpy as jnp

SEEN: list[jax.Array] = []


class Logged(eqx.Module):
    gain: jax.Array

    def __init__(self, size: int):
        self.gain = jnp.ones(size, jnp.float32)

    def __call__(self, x: jax.Array) -> jax.Array:
        y = self.gain * x
        SEEN.append(y)  # under jit, a tracer that outlives its trace
        return y
