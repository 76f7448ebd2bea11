"""A network for tables with numbers and categories."""

import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, module, param, shared, static, test


class Gated(Module):
    """A gated block beside a shortcut, which begins small."""

    wide: Float[Array, "2*hidden size"] = param("lecun_normal")
    back: Float[Array, "size hidden"] = param("lecun_normal")
    gain: Float[Array, " size"] = param("full(0.1)")

    def __call__(
        self, x: Float[Array, " size"], *, kept: Float[Array, ""] | None = None
    ) -> Float[Array, " size"]:
        """`x` with what the block adds, times what is kept of it."""
        value, gate = jnp.split(self.wide @ x, 2)
        added = self.gain * (self.back @ (value * jax.nn.sigmoid(gate)))
        return x + added if kept is None else x + kept * added


@test(sizes={"categories": 7, "size": 5, "hidden": 3, "columns": 2}, values={"depth": 3})
class Tabular(Module, save=True):
    """Embeds the categories, adds the numbers, and runs through gated blocks."""

    embedding: Float[Array, "categories size"] = param("normal(0.02)")
    numeric: Float[Array, "size columns"] = param("lecun_normal")
    blocks: list[Gated] = module(stacked=True, remat=True)
    head: Float[Array, "size categories"] = shared("embedding.T")
    """Predicts a masked category"""
    depth: int = static(3, check=lambda depth: depth > 0)
    survival: float = static(0.8, check=lambda survival: 0 < survival <= 1)
    """Share of the blocks that are kept in training"""

    def __init__(
        self,
        categories: int,
        columns: int,
        size: int,
        hidden: int,
        depth: int = 3,
        survival: float = 0.8,
        dtype: DTypeLike | None = None,
        *,
        key: PRNGKeyArray,
    ):
        self.depth = depth
        self.survival = survival
        self.blocks = [Gated.create(hidden, size, dtype, key=one) for one in jax.random.split(key, depth)]

    def __call__(
        self,
        codes: Int32[Array, " fields"],
        numbers: Float[Array, " columns"],
        *,
        key: PRNGKeyArray | None = None,
    ) -> Float[Array, " categories"]:
        """Scores of what a masked category may be; with a key blocks are left out at random."""
        x = self.encode(codes, numbers)
        if key is None:
            for block in self.blocks:
                x = block(x)
        else:
            kept = jax.random.bernoulli(key, self.survival, (self.depth,)).astype(x.dtype)
            for block, share in zip(self.blocks, kept / self.survival, strict=True):
                x = block(x, kept=share)
        return x @ self.head

    def encode(
        self, codes: Int32[Array, " fields"], numbers: Float[Array, " columns"]
    ) -> Float[Array, " size"]:
        """What goes into the first block; codes below 0 are missing."""
        known = codes >= 0
        rows = jnp.where(known[:, None], self.embedding[jnp.maximum(codes, 0)], 0)
        return jnp.sum(rows, axis=0) + self.numeric @ jnp.tanh(numbers)

    def trace(self, codes: Int32[Array, " fields"], numbers: Float[Array, " columns"]) -> Float[Array, "3"]:
        """The length of what each block hands on."""
        x = self.encode(codes, numbers)
        lengths = []
        for block in self.blocks:
            x = block(x)
            lengths.append(jnp.linalg.norm(x))
        return jnp.stack(lengths)
