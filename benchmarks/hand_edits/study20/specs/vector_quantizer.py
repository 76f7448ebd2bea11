"""VQ-VAE bottleneck with an exponential-moving-average codebook."""

import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float, Int


class CodebookStat(nnx.Variable):
    """Collected from data, never by gradient."""


class VectorQuantizer(nnx.Module):
    def __init__(
        self,
        num_codes: int,
        dim: int,
        *,
        decay: float = 0.99,
        beta: float = 0.25,
        eps: float = 1e-5,
        dropout: float = 0.0,
        rngs: nnx.Rngs,
    ):
        self.num_codes = num_codes
        self.decay = decay
        self.beta = beta
        self.eps = eps
        self.deterministic = False
        self.project = nnx.Linear(dim, dim, rngs=rngs)
        self.dropout = nnx.Dropout(dropout, rngs=rngs)
        codes: Float[Array, "codes dim"] = jax.random.normal(rngs.params(), (num_codes, dim))
        self.codebook = CodebookStat(codes)
        self.ema_count = CodebookStat(jnp.ones((num_codes,)))
        self.ema_sum = CodebookStat(jnp.array(codes))

    def nearest(self, z: Float[Array, "batch dim"]) -> Int[Array, " batch"]:
        book = self.codebook[...]
        dist = jnp.sum(z**2, -1, keepdims=True) - 2 * z @ book.T + jnp.sum(book**2, -1)
        return jnp.argmin(dist, axis=-1)

    def lookup(self, idx: Int[Array, " batch"]) -> Float[Array, "batch dim"]:
        return self.codebook[...][idx]

    def update_codebook(self, z: Float[Array, "batch dim"], idx: Int[Array, " batch"]) -> None:
        onehot = jax.nn.one_hot(idx, self.num_codes)
        z = jax.lax.stop_gradient(z)
        count = self.decay * self.ema_count[...] + (1 - self.decay) * onehot.sum(0)
        total = self.decay * self.ema_sum[...] + (1 - self.decay) * (onehot.T @ z)
        n = count.sum()
        smoothed = (count + self.eps) / (n + self.num_codes * self.eps) * n
        self.ema_count[...] = count
        self.ema_sum[...] = total
        self.codebook[...] = total / smoothed[:, None]

    def __call__(
        self, x: Float[Array, "batch dim"]
    ) -> tuple[Float[Array, "batch dim"], Int[Array, " batch"], Float[Array, ""]]:
        z = self.dropout(self.project(x))
        idx = self.nearest(z)
        q = self.lookup(idx)
        commit = self.beta * jnp.mean((z - jax.lax.stop_gradient(q)) ** 2)
        if not self.deterministic:
            self.update_codebook(z, idx)
        straight = z + jax.lax.stop_gradient(q - z)
        return straight, idx, commit

    def perplexity(self) -> Float[Array, ""]:
        """Effective number of codes in use."""
        p = self.ema_count[...] / self.ema_count[...].sum()
        return jnp.exp(-jnp.sum(p * jnp.log(p + 1e-10)))
