import math

import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Float, Int32, PRNGKeyArray
from scaffold.skeleton import Module, param, static, test

from sharding import out_sharding


class Attention(Module, sharding={"heads": "model"}):
    """Causal self-attention of several heads, which tensor parallelism divides among
    devices.
    """

    queries: Float[Array, "heads head_size size"] = param("normal(0.2)")
    keys: Float[Array, "heads head_size size"] = param("normal(0.2)")
    values: Float[Array, "heads head_size size"] = param("normal(0.2)")
    mix: Float[Array, "size heads head_size"] = param("normal(0.2)")

    def __call__(self, x: Float[Array, "length size"]) -> Float[Array, "length size"]:
        queries = jnp.einsum("ts,hds->htd", x, self.queries)
        keys = jnp.einsum("ts,hds->htd", x, self.keys)
        values = jnp.einsum("ts,hds->htd", x, self.values)
        scores = jnp.einsum("htd,hud->htu", queries, keys) / math.sqrt(keys.shape[-1])
        causal = jnp.tril(jnp.ones(scores.shape[-2:], bool))
        weights = jax.nn.softmax(jnp.where(causal, scores, -jnp.inf), axis=-1)
        mixed = jnp.einsum("htu,hud->htd", weights, values)
        return jnp.einsum(
            "htd,shd->ts", mixed, self.mix, out_sharding=out_sharding(None, None)
        )


class FeedForward(Module, sharding={"hidden_size": "model"}):
    """Two layers: the first is divided by rows, the second by columns."""

    up: Float[Array, "hidden_size size"] = param("normal(0.2)")
    bias: Float[Array, " hidden_size"] = param("zeros", decay=False)
    down: Float[Array, "size hidden_size"] = param("normal(0.2)")

    def __call__(self, x: Float[Array, "length size"]) -> Float[Array, "length size"]:
        hidden = jax.nn.gelu(x @ self.up.T + self.bias[None, :])
        return jnp.matmul(hidden, self.down.T, out_sharding=out_sharding(None, None))


@test(sizes={"heads": 8, "head_size": 2, "size": 5, "hidden_size": 16})
class DecoderBlock(Module, sharding={}):
    """A block of a transformer: attention and a feed-forward layer, each behind a norm
    and beside a residual.
    """

    attention: Attention
    feed_forward: FeedForward
    attention_scale: Float[Array, " size"] = param("ones", decay=False)
    feed_forward_scale: Float[Array, " size"] = param("ones", decay=False)

    def __init__(
        self,
        heads: int,
        head_size: int,
        size: int,
        hidden_size: int,
        dtype: DTypeLike | None = None,
        *,
        key: PRNGKeyArray,
    ):
        first, second = jax.random.split(key)
        self.attention = Attention.create(heads, head_size, size, dtype, key=first)
        self.feed_forward = FeedForward.create(hidden_size, size, dtype, key=second)

    def __call__(self, x: Float[Array, "length size"]) -> Float[Array, "length size"]:
        x = x + self.attention(self.normed(x) * self.attention_scale[None, :])
        return x + self.feed_forward(self.normed(x) * self.feed_forward_scale[None, :])

    def normed(self, x: Float[Array, "length size"]) -> Float[Array, "length size"]:
        """Divide each row by its root mean square."""
        return x * jax.lax.rsqrt(jnp.mean(x**2, axis=-1, keepdims=True) + 1e-6)


@test(
    sizes={
        "vocabulary": 24,
        "length": 7,
        "size": 5,
        "heads": 8,
        "head_size": 2,
        "hidden_size": 16,
        "depth": 2,
    }
)
class LanguageModel(Module, sharding={"vocabulary": "model"}):
    """A small language model; a vocabulary of which each device has a part."""

    embedding: Float[Array, "vocabulary size"] = param("normal(0.2)")
    positions: Float[Array, "length size"] = param("normal(0.2)")
    blocks: list[DecoderBlock]
    depth: int = static(check=lambda depth: depth > 0)

    def __init__(
        self,
        vocabulary: int,
        length: int,
        size: int,
        heads: int,
        head_size: int,
        hidden_size: int,
        depth: int,
        dtype: DTypeLike | None = None,
        *,
        key: PRNGKeyArray,
    ):
        self.depth = depth
        self.blocks = [
            DecoderBlock(heads, head_size, size, hidden_size, dtype, key=one)
            for one in jax.random.split(jax.random.fold_in(key, 1), depth)
        ]

    def __call__(
        self, tokens: Int32[Array, " length"]
    ) -> Float[Array, "length vocabulary"]:
        x = self.embedding.at[tokens].get(out_sharding=out_sharding(None, None))
        x = x + self.positions
        for block in self.blocks:
            x = block(x)
        return x @ self.embedding.T
