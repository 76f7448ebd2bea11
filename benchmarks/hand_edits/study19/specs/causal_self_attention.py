"""Self-attention with rotary position embeddings."""

import math

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray


class CausalSelfAttention(eqx.Module):
    """Multi-head causal self-attention, with rotary embeddings."""

    query: eqx.nn.Linear
    key: eqx.nn.Linear
    value: eqx.nn.Linear
    output: eqx.nn.Linear
    temperature: Float[Array, " num_heads"]
    num_heads: int = eqx.field(static=True)
    theta: float = eqx.field(static=True)

    def __init__(
        self,
        dim: int,
        num_heads: int,
        *,
        theta: float = 10000.0,
        key: PRNGKeyArray,
    ):
        if dim % (2 * num_heads) != 0:
            raise ValueError("dim must be a multiple of 2 * num_heads")
        qkey, kkey, vkey, okey = jax.random.split(key, 4)
        self.query = eqx.nn.Linear(dim, dim, use_bias=False, key=qkey)
        self.key = eqx.nn.Linear(dim, dim, use_bias=False, key=kkey)
        self.value = eqx.nn.Linear(dim, dim, use_bias=False, key=vkey)
        self.output = eqx.nn.Linear(dim, dim, key=okey)
        self.temperature = jnp.ones((num_heads,))
        self.num_heads = num_heads
        self.theta = theta

    def rotate(self, x: Float[Array, "seq num_heads size"]) -> Float[Array, "seq num_heads size"]:
        seq, _, size = x.shape
        half = size // 2
        freqs = self.theta ** (-jnp.arange(half, dtype=x.dtype) / half)
        angles = jnp.arange(seq, dtype=x.dtype)[:, None, None] * freqs
        cos, sin = jnp.cos(angles), jnp.sin(angles)
        first, second = jnp.split(x, 2, axis=-1)
        return jnp.concatenate([first * cos - second * sin, first * sin + second * cos], axis=-1)

    def __call__(self, x: Float[Array, "seq dim"]) -> Float[Array, "seq dim"]:
        seq, dim = x.shape
        size = dim // self.num_heads
        q = jax.vmap(self.query)(x).reshape(seq, self.num_heads, size)
        k = jax.vmap(self.key)(x).reshape(seq, self.num_heads, size)
        v = jax.vmap(self.value)(x).reshape(seq, self.num_heads, size)
        q, k = self.rotate(q), self.rotate(k)
        logits = jnp.einsum("qhd,khd->hqk", q, k) / math.sqrt(size)
        logits = logits * self.temperature[:, None, None]
        mask = jnp.tril(jnp.ones((seq, seq), dtype=bool))
        logits = jnp.where(mask, logits, jnp.finfo(logits.dtype).min)
        weights = jax.nn.softmax(logits, axis=-1)
        mixed = jnp.einsum("hqk,khd->qhd", weights, v).reshape(seq, dim)
        return jax.vmap(self.output)(mixed)
