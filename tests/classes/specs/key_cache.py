import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32

from scaffold.skeleton import Module, buffer, data, test


@test(sizes={"length": 3, "heads": 2, "size": 4})
class KeyCache(Module):
    """Keys and values of the positions so far."""

    past_keys: Float[Array, "length heads size"] = data()
    past_values: Float[Array, "length heads size"] = data()
    position: Int32[Array, ""] = buffer()
    """How many positions are filled"""

    @classmethod
    def empty(cls, length: int, heads: int, size: int) -> "KeyCache":
        """A cache in which nothing is yet."""
        zeros = jnp.zeros((length, heads, size))
        return cls.create(zeros, zeros, jnp.zeros((), jnp.int32))

    def update(self, key: Float[Array, "heads size"], value: Float[Array, "heads size"]) -> "KeyCache":
        """The cache with the key and the value of the next position."""
        return KeyCache(
            past_keys=self.past_keys.at[self.position].set(key),
            past_values=self.past_values.at[self.position].set(value),
            position=self.position + 1,
        )

    def is_filled(self) -> Bool[Array, " length"]:
        """Which positions there are."""
        return jnp.arange(self.past_keys.shape[0]) < self.position
