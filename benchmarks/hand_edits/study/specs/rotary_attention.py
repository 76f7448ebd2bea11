import math

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32

from scaffold.skeleton import Module, param, state, static, test


@test(sizes={"heads": 2, "head_size": 4, "size": 5, "capacity": 7})
class RotaryAttention(Module):
    """Causal self-attention with rotary positions, and a cache for one token at a time."""

    qkv: Float[Array, "3 heads head_size size"] = param("normal(0.3)")
    out: Float[Array, "size heads*head_size"] = param("glorot_uniform")
    bias: Float[Array, " size"] | None = param("zeros", optional="use_bias")
    keys: Float[Array, "capacity heads head_size"] = state("zeros")
    values: Float[Array, "capacity heads head_size"] = state("zeros")
    filled: Int32[Array, ""] = state("zeros")
    """Number of tokens that were decoded"""
    heads: int
    head_size: int = static(check=lambda head_size: head_size % 2 == 0)
    capacity: int = static(check=lambda capacity: capacity > 0)
    base: float = static(10000.0, check=lambda base: base > 1)
    """Ratio of the longest and the shortest wavelength"""
    window: int | None = static(None)
    """How many tokens back a token sees; all of them without"""

    def __call__(
        self, x: Float[Array, "length size"], *, mask: Bool[Array, " length"] | None = None
    ) -> Float[Array, "length size"]:
        """Attend over a whole sequence. `mask` is False at padding, which nobody sees but itself."""
        places = jnp.arange(x.shape[0])
        queries, keys, values = self.projected(x, places)
        scores = jnp.einsum("qhd,khd->hqk", queries, keys) / math.sqrt(self.head_size)
        distance = places[:, None] - places[None, :]
        seen = distance >= 0
        if self.window is not None:
            seen = seen & (distance < self.window)
        if mask is not None:
            seen = seen & (mask[None, :] | (distance == 0))
        weights = jax.nn.softmax(jnp.where(seen, scores, -jnp.inf), axis=-1)
        return self.merged(jnp.einsum("hqk,khd->qhd", weights, values))

    def step(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        """Attend from the next token of a sequence to those in the cache."""
        place = self.filled
        queries, keys, values = self.projected(x[None], place[None])
        slot = place % self.capacity
        self.keys = self.keys.at[slot].set(keys[0])
        self.values = self.values.at[slot].set(values[0])
        self.filled = place + 1
        scores = jnp.einsum("hd,khd->hk", queries[0], self.keys) / math.sqrt(self.head_size)
        age = (slot - jnp.arange(self.capacity)) % self.capacity
        seen = age <= place
        if self.window is not None:
            seen = seen & (age < self.window)
        weights = jax.nn.softmax(jnp.where(seen, scores, -jnp.inf), axis=-1)
        return self.merged(jnp.einsum("hk,khd->hd", weights, self.values)[None])[0]

    def rewind(self, steps: Int32[Array, ""]) -> Int32[Array, ""]:
        """Forget the last `steps` tokens, and say how many are left."""
        self.filled = jnp.maximum(self.filled - steps, 0)
        return self.filled

    def projected(
        self, x: Float[Array, "length size"], places: Int32[Array, " length"]
    ) -> tuple[
        Float[Array, "length heads head_size"],
        Float[Array, "length heads head_size"],
        Float[Array, "length heads head_size"],
    ]:
        """Queries and keys, each rotated by its place, and values."""
        queries, keys, values = jnp.einsum("ls,nhds->nlhd", x, self.qkv)
        return self.rotated(queries, places), self.rotated(keys, places), values

    def rotated(
        self, x: Float[Array, "length heads head_size"], places: Int32[Array, " length"]
    ) -> Float[Array, "length heads head_size"]:
        """Rotate each pair of channels by an angle that grows with the place."""
        half = self.head_size // 2
        rates = self.base ** -(jnp.arange(half, dtype=x.dtype) / half)
        angles = places.astype(x.dtype)[:, None, None] * rates
        cosine, sine = jnp.cos(angles), jnp.sin(angles)
        first, second = jnp.split(x, 2, axis=-1)
        return jnp.concatenate([first * cosine - second * sine, second * cosine + first * sine], axis=-1)

    def merged(self, x: Float[Array, "length heads head_size"]) -> Float[Array, "length size"]:
        """Mix the heads of each token."""
        y = x.reshape(x.shape[0], -1) @ self.out.T
        return y if self.bias is None else y + self.bias
