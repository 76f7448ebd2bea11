import math
from collections.abc import Mapping
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Float, Int32, PRNGKeyArray

from filter_specs import trained_fields
from sharding import field_specs, out_sharding
from weight_decay import decayed_fields


class Attention(eqx.Module):
    """Causal self-attention of several heads, which tensor parallelism divides among
    devices.
    """

    queries: Float[Array, "heads head_size size"]
    keys: Float[Array, "heads head_size size"]
    values: Float[Array, "heads head_size size"]
    mix: Float[Array, "size heads head_size"]

    @classmethod
    def create(
        cls,
        heads: int,
        head_size: int,
        size: int,
        dtype: DTypeLike | None = None,
        *,
        key: PRNGKeyArray,
    ) -> "Attention":
        dtype = jnp.result_type(float) if dtype is None else dtype
        queries_key, keys_key, values_key, mix_key = jax.random.split(key, 4)
        return cls(
            queries=0.2
            * jax.random.normal(queries_key, (heads, head_size, size), dtype),
            keys=0.2 * jax.random.normal(keys_key, (heads, head_size, size), dtype),
            values=0.2 * jax.random.normal(values_key, (heads, head_size, size), dtype),
            mix=0.2 * jax.random.normal(mix_key, (size, heads, head_size), dtype),
        )

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

    def partition_specs(self, rules: Mapping[str, Any] | None = None) -> "Attention":
        """The `PartitionSpec` of each array, in the structure of the class.

        `rules` maps names of dims to mesh axes, here and in sub-modules; by default
        `heads` lies on `model`.
        """
        return field_specs(
            self,
            {
                "queries": ("heads", "head_size", "size"),
                "keys": ("heads", "head_size", "size"),
                "values": ("heads", "head_size", "size"),
                "mix": ("size", "heads", "head_size"),
            },
            {"heads": "model"},
            rules,
        )


class FeedForward(eqx.Module):
    """Two layers: the first is divided by rows, the second by columns."""

    up: Float[Array, "hidden_size size"]
    bias: Float[Array, " hidden_size"]
    down: Float[Array, "size hidden_size"]

    @classmethod
    def create(
        cls,
        hidden_size: int,
        size: int,
        dtype: DTypeLike | None = None,
        *,
        key: PRNGKeyArray,
    ) -> "FeedForward":
        dtype = jnp.result_type(float) if dtype is None else dtype
        up_key, down_key = jax.random.split(key, 2)
        return cls(
            up=0.2 * jax.random.normal(up_key, (hidden_size, size), dtype),
            bias=jnp.zeros((hidden_size,), dtype),
            down=0.2 * jax.random.normal(down_key, (size, hidden_size), dtype),
        )

    def __call__(self, x: Float[Array, "length size"]) -> Float[Array, "length size"]:
        hidden = jax.nn.gelu(x @ self.up.T + self.bias[None, :])
        return jnp.matmul(hidden, self.down.T, out_sharding=out_sharding(None, None))

    def partition_specs(self, rules: Mapping[str, Any] | None = None) -> "FeedForward":
        """The `PartitionSpec` of each array, in the structure of the class.

        `rules` maps names of dims to mesh axes, here and in sub-modules; by default
        `hidden_size` lies on `model`.
        """
        return field_specs(
            self,
            {
                "up": ("hidden_size", "size"),
                "bias": ("hidden_size",),
                "down": ("size", "hidden_size"),
            },
            {"hidden_size": "model"},
            rules,
        )

    def decayed(self) -> "FeedForward":
        """Filter spec: True at each trained array that weight decay moves."""
        return jax.tree_util.tree_map_with_path(
            lambda path, leaf: (
                path[0].name not in ("bias",) and eqx.is_inexact_array(leaf)
            ),
            self,
        )


class DecoderBlock(eqx.Module):
    """A block of a transformer: attention and a feed-forward layer, each behind a norm
    and beside a residual.
    """

    attention: Attention
    feed_forward: FeedForward
    attention_scale: Float[Array, " size"]
    feed_forward_scale: Float[Array, " size"]

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
        dtype = jnp.result_type(float) if dtype is None else dtype
        first, second = jax.random.split(key)
        self.attention = Attention.create(heads, head_size, size, dtype, key=first)
        self.feed_forward = FeedForward.create(hidden_size, size, dtype, key=second)
        self.attention_scale = jnp.ones((size,), dtype)
        self.feed_forward_scale = jnp.ones((size,), dtype)

    def __call__(self, x: Float[Array, "length size"]) -> Float[Array, "length size"]:
        x = x + self.attention(self.normed(x) * self.attention_scale[None, :])
        return x + self.feed_forward(self.normed(x) * self.feed_forward_scale[None, :])

    def normed(self, x: Float[Array, "length size"]) -> Float[Array, "length size"]:
        """Divide each row by its root mean square."""
        return x * jax.lax.rsqrt(jnp.mean(x**2, axis=-1, keepdims=True) + 1e-6)

    def partition_specs(self, rules: Mapping[str, Any] | None = None) -> "DecoderBlock":
        """The `PartitionSpec` of each array, in the structure of the class.

        `rules` maps names of dims to mesh axes, here and in sub-modules.
        """
        return field_specs(
            self,
            {"attention_scale": ("size",), "feed_forward_scale": ("size",)},
            {},
            rules,
        )

    def trainable(self) -> "DecoderBlock":
        """Filter spec by field: True at each trained array, False at every other leaf."""
        return trained_fields(self)

    def decayed(self) -> "DecoderBlock":
        """Filter spec: True at each trained array that weight decay moves."""
        return decayed_fields(
            self, self.trainable(), but=("attention_scale", "feed_forward_scale")
        )


class LanguageModel(eqx.Module):
    """A small language model; a vocabulary of which each device has a part."""

    embedding: Float[Array, "vocabulary size"]
    positions: Float[Array, "length size"]
    blocks: tuple[DecoderBlock, ...]
    depth: int = eqx.field(static=True)

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
        """Build an instance.

        **Raises:**

        - `ValueError` unless `depth > 0`.
        """
        dtype = jnp.result_type(float) if dtype is None else dtype
        embedding_key, positions_key, blocks_key = jax.random.split(key, 3)
        self.embedding = 0.2 * jax.random.normal(
            embedding_key, (vocabulary, size), dtype
        )
        self.positions = 0.2 * jax.random.normal(positions_key, (length, size), dtype)
        self.blocks = tuple(
            DecoderBlock(heads, head_size, size, hidden_size, dtype, key=one)
            for one in jax.random.split(jax.random.fold_in(blocks_key, 1), depth)
        )
        self.depth = depth

    def __check_init__(self) -> None:
        if type(self.depth) is not int:
            raise TypeError(f"`depth` is static and must be an int, got {self.depth!r}")
        if not (self.depth > 0):
            raise ValueError(f"`depth` must satisfy `depth > 0`, got {self.depth!r}")

    def __call__(
        self, tokens: Int32[Array, " length"]
    ) -> Float[Array, "length vocabulary"]:
        x = self.embedding.at[tokens].get(out_sharding=out_sharding(None, None))
        x = x + self.positions
        for block in self.blocks:
            x = block(x)
        return x @ self.embedding.T

    def partition_specs(
        self, rules: Mapping[str, Any] | None = None
    ) -> "LanguageModel":
        """The `PartitionSpec` of each array, in the structure of the class.

        `rules` maps names of dims to mesh axes, here and in sub-modules; by default
        `vocabulary` lies on `model`.
        """
        return field_specs(
            self,
            {"embedding": ("vocabulary", "size"), "positions": ("length", "size")},
            {"vocabulary": "model"},
            rules,
        )

    def trainable(self) -> "LanguageModel":
        """Filter spec by field: True at each trained array, False at every other leaf."""
        return trained_fields(self)
