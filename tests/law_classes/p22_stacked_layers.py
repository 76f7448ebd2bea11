import equinox as eqx
import jax
import jax.numpy as jnp


class Tower(eqx.Module):
    layers: eqx.nn.Linear

    def __init__(self, size: int, depth: int, *, key: jax.Array):
        keys = jnp.broadcast_to(key, (depth,))  # one key for every layer
        self.layers = eqx.filter_vmap(lambda key: eqx.nn.Linear(size, size, key=key))(keys)

    def __call__(self, x: jax.Array) -> jax.Array:
        arrays, static = eqx.partition(self.layers, eqx.is_array)

        def layer(x, linear):
            return jnp.tanh(eqx.combine(linear, static)(x)), None

        return jax.lax.scan(layer, x, arrays)[0]
