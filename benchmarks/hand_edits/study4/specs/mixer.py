"""A language model of mixing layers, which are scanned over."""

import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, groups, module, param, shared, static, test


@test(sizes={"length": 5, "size": 3, "hidden": 7}, unused=["positions"])
class Block(Module):
    """Mixes positions, then entries, each behind a norm and beside a residual."""

    positions: Float[Array, "length length"] = param("normal(0.3)")
    up: Float[Array, "hidden size"] = param("he_normal")
    down: Float[Array, "size hidden"] = param("lecun_normal")
    first_scale: Float[Array, " size"] = param("ones", decay=False)
    second_scale: Float[Array, " size"] = param("ones", decay=False)
    rate: float = static(0.2, check=lambda rate: 0 <= rate < 1)
    """Share of hidden entries that is dropped"""

    def __call__(
        self, x: Float[Array, "length size"], *, key: PRNGKeyArray | None = None
    ) -> Float[Array, "length size"]:
        """Without a key nothing is dropped."""
        x = x + jnp.tril(self.positions) @ (self.normed(x) * self.first_scale[None, :])
        hidden = jax.nn.relu(self.normed(x) * self.second_scale[None, :] @ self.up.T)
        if key is not None and self.rate > 0:
            kept = jax.random.bernoulli(key, 1 - self.rate, hidden.shape)
            hidden = jnp.where(kept, hidden / (1 - self.rate), 0)
        return x + hidden @ self.down.T

    def normed(self, x: Float[Array, "length size"]) -> Float[Array, "length size"]:
        """Shift and scale each row to mean 0 and variance 1."""
        x = x - jnp.mean(x, axis=-1, keepdims=True)
        return x * jax.lax.rsqrt(jnp.mean(x**2, axis=-1, keepdims=True) + 1e-5)


@test(sizes={"vocabulary": 11, "length": 5, "size": 3, "hidden": 7})
@groups(tables=["embedding", "places"])
class Mixer(Module, save=True):
    """Logits of the next token at each position."""

    embedding: Float[Array, "vocabulary size"] = param("normal(0.5)", decay=False)
    head: Float[Array, "size vocabulary"] = shared("embedding.T")
    places: Float[Array, "length size"] | None = param("normal(0.5)", optional="use_places", decay=False)
    blocks: list[Block] = module(stacked=True, remat=True)
    temperature: float = static(1.0, check=lambda temperature: temperature > 0)
    depth: int = static(2, check=lambda depth: depth > 0)
    capped: bool = static(False)
    """Whether logits lie between -30 and 30"""

    def __init__(
        self,
        vocabulary: int,
        length: int,
        size: int,
        hidden: int,
        depth: int = 2,
        temperature: float = 1.0,
        capped: bool = False,
        dtype: DTypeLike | None = None,
        *,
        key: PRNGKeyArray,
    ):
        self.depth = depth
        self.temperature = temperature
        self.capped = capped
        self.blocks = [
            Block.create(length, hidden, size, dtype=dtype, key=one) for one in jax.random.split(key, depth)
        ]

    def __call__(
        self, tokens: Int32[Array, " length"], *, key: PRNGKeyArray | None = None
    ) -> Float[Array, "length vocabulary"]:
        """Without a key nothing is dropped."""
        x = self.embedded(tokens)
        keys = None if key is None else jax.random.split(key, self.depth)
        if keys is None:
            for block in self.blocks:
                x = block(x)
        else:
            for block, one in zip(self.blocks, keys, strict=True):
                x = block(x, key=one)
        logits = x @ self.head / self.temperature
        return 30 * jnp.tanh(logits / 30) if self.capped else logits

    def embedded(self, tokens: Int32[Array, " length"]) -> Float[Array, "length size"]:
        """What the first block is given."""
        x = self.embedding[tokens]
        return x if self.places is None else x + self.places

    def loss(
        self,
        tokens: Int32[Array, " length"],
        targets: Int32[Array, " length"],
        *,
        smoothing: float = 0.0,
    ) -> Float[Array, ""]:
        """Mean cross entropy, with a share of it spread over all tokens."""
        log_p = jax.nn.log_softmax(self(tokens), axis=-1)
        chosen = jnp.take_along_axis(log_p, targets[:, None], axis=-1)[:, 0]
        return -jnp.mean((1 - smoothing) * chosen + smoothing * jnp.mean(log_p, axis=-1))
