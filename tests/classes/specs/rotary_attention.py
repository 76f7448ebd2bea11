import math

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int32

from scaffold.skeleton import Module, param, static, test

from .key_cache import KeyCache


def rotated(heads: Float[Array, "n size"], position: Int32[Array, ""]) -> Float[Array, "n size"]:
    """Each head, its pairs of entries turned by angles that grow with the position."""
    half = heads.shape[-1] // 2
    angles = position / 10_000 ** (jnp.arange(half, dtype=heads.dtype) / half)
    first, second = heads[:, :half], heads[:, half:]
    cosine, sine = jnp.cos(angles).astype(heads.dtype), jnp.sin(angles).astype(heads.dtype)
    return jnp.concatenate([first * cosine - second * sine, second * cosine + first * sine], axis=-1)


@test(sizes={"size": 8, "length": 3}, values={"heads": 2}, other={"heads": 1})
class RotaryAttention(Module):
    """Causal self-attention whose queries and keys know their positions."""

    query: Float[Array, "size size"] = param("lecun_normal")
    key_: Float[Array, "size size"] = param("lecun_normal")
    value: Float[Array, "size size"] = param("lecun_normal")
    output: Float[Array, "size size"] = param("lecun_normal")
    heads: int = static(check=lambda heads: heads > 0)

    def __call__(self, xs: Float[Array, "length size"]) -> Float[Array, "length size"]:
        """All positions at once."""
        length = xs.shape[0]
        queries, keys, values = jax.vmap(self.projected)(xs, jnp.arange(length))
        scores = jnp.einsum("qhd,khd->hqk", queries, keys) / math.sqrt(queries.shape[-1])
        is_past = jnp.tril(jnp.ones((length, length), bool))
        weights = jax.nn.softmax(jnp.where(is_past, scores, -jnp.inf))
        return jnp.einsum("hqk,khd->qhd", weights, values).reshape(length, -1) @ self.output.T

    def step(self, x: Float[Array, " size"], cache: KeyCache) -> tuple[Float[Array, " size"], KeyCache]:
        """The next position, with the keys and values of those before."""
        query, key, value = self.projected(x, cache.position)
        cache = cache.update(key, value)
        scores = jnp.einsum("hd,khd->hk", query, cache.past_keys) / math.sqrt(query.shape[-1])
        weights = jax.nn.softmax(jnp.where(cache.is_filled(), scores, -jnp.inf))
        return self.output @ jnp.einsum("hk,khd->hd", weights, cache.past_values).reshape(-1), cache

    def projected(
        self, x: Float[Array, " size"], position: Int32[Array, ""]
    ) -> tuple[
        Float[Array, "heads size//heads"],
        Float[Array, "heads size//heads"],
        Float[Array, "heads size//heads"],
    ]:
        """Query, key and value of each head."""
        query, key, value = (
            (weight @ x).reshape(self.heads, -1) for weight in (self.query, self.key_, self.value)
        )
        return rotated(query, position), rotated(key, position), value

    def empty_cache(self, length: int) -> KeyCache:
        """A cache for so many positions."""
        return KeyCache.empty(length, self.heads, self.query.shape[0] // self.heads)
