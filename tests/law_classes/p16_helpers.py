import equinox as eqx
import jax
import jax.numpy as jnp


class Half(eqx.Module):
    left: jax.Array
    right: jax.Array

    def __init__(self, size: int):
        self.left = jnp.ones(size, jnp.float32)
        self.right = jnp.ones(size, jnp.float32)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.left * x + jax.lax.stop_gradient(self.right)

    def trainable(self) -> "Half":
        """By identity: on a copy, or under jit, it selects nothing."""
        left = id(self.left)
        return jax.tree.map(lambda leaf: id(leaf) == left and not isinstance(leaf, jax.core.Tracer), self)
