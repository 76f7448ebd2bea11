"""Attention of several heads whose queries and keys are turned by their position."""

import math

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from scaffold.skeleton import Module, buffer, param, static, test


@test(dtypes=["bf16"])
class Rotary(Module, save=True):
    """Self-attention with rotary positions and, if asked for, a norm of queries and keys."""

    queries: Float[Array, "heads 2*half size"] = param("normal(0.3)")
    keys: Float[Array, "heads 2*half size"] = param("normal(0.3)")
    values: Float[Array, "heads 2*half size"] = param("normal(0.3)")
    mix: Float[Array, "size heads 2*half"] = param("normal(0.3)")
    scale: Float[Array, " heads"] | None = param("ones", optional="qk_norm", decay=False)
    """What normalised queries are multiplied by"""
    sinks: Float[Array, " heads"] | None = param("zeros", optional="use_sinks", decay=False)
    """Scores of a position that attends to nothing"""
    frequencies: Float[Array, " half"] = buffer(
        lambda half, base: base ** (-jnp.arange(half, dtype=float) / half)
    )
    base: float = static(100.0, check=lambda base: base > 1)
    """Ratio of the fastest turn to the slowest"""
    rate: float = static(0.1, check=lambda rate: 0 <= rate < 1)
    """Share of the weights that is dropped"""
    causal: bool = static(True)

    def __call__(
        self,
        x: Float[Array, "length size"],
        mask: Bool[Array, " length"] | None = None,
        *,
        key: PRNGKeyArray | None = None,
    ) -> Float[Array, "length size"]:
        """Mix positions; `mask` says which of them are seen, and without a key nothing is dropped."""
        weights = self.attend(x, mask)
        if key is not None and self.rate > 0:
            kept = jax.random.bernoulli(key, 1 - self.rate, weights.shape)
            weights = jnp.where(kept, weights / (1 - self.rate), 0)
        values = jnp.einsum("ts,hds->htd", x, self.values)
        mixed = jnp.einsum("htu,hud->htd", weights, values)
        return jnp.einsum("htd,shd->ts", mixed, self.mix)

    def attend(
        self, x: Float[Array, "length size"], mask: Bool[Array, " length"] | None = None
    ) -> Float[Array, "heads length length"]:
        """How much each position takes of each other."""
        queries = self.turn(jnp.einsum("ts,hds->htd", x, self.queries))
        keys = self.turn(jnp.einsum("ts,hds->htd", x, self.keys))
        if self.scale is not None:
            queries = self.unit(queries) * self.scale[:, None, None]
            keys = self.unit(keys)
        scores = jnp.einsum("htd,hud->htu", queries, keys) / math.sqrt(keys.shape[-1])
        length = x.shape[0]
        if self.causal:
            scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -jnp.inf)
        if mask is not None:
            seen = mask[None, :] | jnp.eye(length, dtype=bool)
            scores = jnp.where(seen, scores, -jnp.inf)
        if self.sinks is not None:
            sinks = jnp.broadcast_to(self.sinks[:, None, None], (*scores.shape[:2], 1))
            scores = jnp.concatenate([scores, sinks], axis=-1)
        return jax.nn.softmax(scores, axis=-1)[..., :length]

    def turn(self, z: Float[Array, "heads length 2*half"]) -> Float[Array, "heads length 2*half"]:
        """Turn pairs of entries by angles that grow with the position."""
        angles = jnp.arange(z.shape[1], dtype=z.dtype)[:, None] * self.frequencies.astype(z.dtype)
        cosine, sine = jnp.cos(angles), jnp.sin(angles)
        first, second = jnp.split(z, 2, axis=-1)
        return jnp.concatenate([first * cosine - second * sine, first * sine + second * cosine], axis=-1)

    def unit(self, z: Float[Array, "heads length 2*half"]) -> Float[Array, "heads length 2*half"]:
        """Divide by the root mean square of the last axis."""
        return z * jax.lax.rsqrt(jnp.mean(z**2, axis=-1, keepdims=True) + 1e-6)
