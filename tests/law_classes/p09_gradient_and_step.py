import equinox as eqx
import jax
import jax.numpy as jnp


class Linear(eqx.Module):
    weight: jax.Array
    mean: jax.Array

    def __init__(self, size: int, *, key: jax.Array):
        self.weight = jax.random.normal(key, (size,), jnp.float32)
        self.mean = jnp.ones(size, jnp.float32)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * (x - jax.lax.stop_gradient(self.mean))

    def trainable(self) -> "Linear":
        return jax.tree.map(eqx.is_inexact_array, self)  # the mean too: weight decay moves it
