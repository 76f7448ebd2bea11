import equinox as eqx
import jax
import jax.numpy as jnp


class Shifted(eqx.Module):
    weight: jax.Array
    shift: jax.Array = eqx.field(static=True)

    def __init__(self, size: int, *, key: jax.Array):
        self.weight = jax.random.normal(key, (size,), jnp.float32)
        self.shift = jnp.ones(size, jnp.float32)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * x + self.shift
