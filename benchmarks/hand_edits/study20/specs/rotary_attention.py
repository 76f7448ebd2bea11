"""Multi-head self attention with rotary position embedding (one sequence; vmap over a batch)."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray


class RotaryAttention(eqx.Module):
    qkv: eqx.nn.Linear
    out: eqx.nn.Linear
    dropout: eqx.nn.Dropout
    cos: Float[Array, "max_len half"]  # tables, not trained
    sin: Float[Array, "max_len half"]
    num_heads: int = eqx.field(static=True)
    causal: bool = eqx.field(static=True)

    def __init__(
        self,
        dim: int,
        num_heads: int,
        max_len: int,
        *,
        causal: bool = True,
        dropout: float = 0.0,
        base: float = 10000.0,
        key: PRNGKeyArray,
    ):
        if dim % (2 * num_heads) != 0:
            raise ValueError("dim must be divisible by 2 * num_heads")
        qkv_key, out_key = jax.random.split(key)
        self.qkv = eqx.nn.Linear(dim, 3 * dim, use_bias=False, key=qkv_key)
        self.out = eqx.nn.Linear(dim, dim, key=out_key)
        self.dropout = eqx.nn.Dropout(dropout)
        head_dim = dim // num_heads
        freq = base ** (-jnp.arange(0, head_dim, 2) / head_dim)
        angle = jnp.arange(max_len)[:, None] * freq[None, :]
        self.cos, self.sin = jnp.cos(angle), jnp.sin(angle)
        self.num_heads = num_heads
        self.causal = causal

    def rotate(self, x: Float[Array, "seq heads head_dim"]) -> Float[Array, "seq heads head_dim"]:
        cos = jax.lax.stop_gradient(self.cos)[: x.shape[0], None, :]
        sin = jax.lax.stop_gradient(self.sin)[: x.shape[0], None, :]
        lo, hi = jnp.split(x, 2, axis=-1)
        return jnp.concatenate([lo * cos - hi * sin, lo * sin + hi * cos], axis=-1)

    def weights(
        self, q: Float[Array, "seq heads head_dim"], k: Float[Array, "seq heads head_dim"]
    ) -> Float[Array, "heads seq seq"]:
        scores = jnp.einsum("qhd,khd->hqk", q, k) / jnp.sqrt(q.shape[-1])
        if self.causal:
            mask = jnp.tril(jnp.ones(scores.shape[-2:], dtype=bool))
            scores = jnp.where(mask, scores, -jnp.inf)
        return jax.nn.softmax(scores, axis=-1)

    def __call__(
        self, x: Float[Array, "seq dim"], *, key: PRNGKeyArray | None = None, inference: bool = False
    ) -> Float[Array, "seq dim"]:
        seq, dim = x.shape
        q, k, v = jnp.split(jax.vmap(self.qkv)(x), 3, axis=-1)
        heads = (seq, self.num_heads, dim // self.num_heads)
        q, k, v = self.rotate(q.reshape(heads)), self.rotate(k.reshape(heads)), v.reshape(heads)
        w = self.dropout(self.weights(q, k), key=key, inference=inference)
        mixed = jnp.einsum("hqk,khd->qhd", w, v).reshape(seq, dim)
        return jax.vmap(self.out)(mixed)
