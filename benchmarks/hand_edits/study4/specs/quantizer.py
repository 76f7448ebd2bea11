"""A vector quantiser whose codebook follows the data, as in a discrete autoencoder."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int32

from scaffold.skeleton import Nnx, param, state, static


class Quantizer(Nnx, constructor="init", save=True):
    """Replaces vectors by the nearest entry of a codebook, which is a running mean of them."""

    project: Float[Array, "code_size size"] = param("lecun_normal")
    expand: Float[Array, "size code_size"] = param("lecun_normal")
    bias: Float[Array, " size"] | None = param("zeros", optional="use_bias")
    codebook: Float[Array, "entries code_size"] = state("normal", variable="Codebook")
    usage: Float[Array, " entries"] = state("ones", variable="BatchStat")
    """How often each entry is used, as a running mean"""
    calls: Int32[Array, ""] = state("zeros", variable="Count")
    decay: float = static(0.9, check=lambda decay: 0 <= decay < 1)
    commitment: float = static(0.25, check=lambda commitment: commitment > 0)
    """What the distance to the codebook costs"""
    cosine: bool = static(False)
    """Whether entries are compared by their direction alone"""
    training: bool = static(True)

    def __call__(self, xs: Float[Array, "batch size"]) -> Float[Array, "batch size"]:
        """What is left of the vectors after quantisation, with gradients that pass straight through."""
        z = xs @ self.project.T
        indices = self.nearest(z)
        nearest = self.codebook[indices]
        if self.training:
            self.follow(z, indices)
        z = z + jax.lax.stop_gradient(nearest - z)
        y = z @ self.expand.T
        return y if self.bias is None else y + self.bias

    def nearest(self, z: Float[Array, "batch code_size"]) -> Int32[Array, " batch"]:
        """The entry that is nearest to each vector."""
        codebook = self.codebook
        if self.cosine:
            z = z / (jnp.linalg.norm(z, axis=-1, keepdims=True) + 1e-6)
            codebook = codebook / (jnp.linalg.norm(codebook, axis=-1, keepdims=True) + 1e-6)
        distances = jnp.sum((z[:, None] - codebook[None]) ** 2, axis=-1)
        return jnp.argmin(distances, axis=-1).astype(jnp.int32)

    def follow(self, z: Float[Array, "batch code_size"], indices: Int32[Array, " batch"]) -> None:
        """Move the codebook towards the vectors that chose its entries."""
        z = jax.lax.stop_gradient(z)
        chosen = jax.nn.one_hot(indices, self.usage.shape[0], dtype=z.dtype)
        counts = jnp.sum(chosen, axis=0)
        means = chosen.T @ z / jnp.maximum(counts, 1)[:, None]
        moved = self.decay * self.codebook + (1 - self.decay) * means
        self.codebook = jnp.where(counts[:, None] > 0, moved, self.codebook)
        self.usage = self.decay * self.usage + (1 - self.decay) * counts
        self.calls += 1

    def penalty(self, xs: Float[Array, "batch size"], *, mean: bool = True) -> Float[Array, ""]:
        """What it costs that vectors lie far from the codebook."""
        z = xs @ self.project.T
        nearest = jax.lax.stop_gradient(self.codebook[self.nearest(z)])
        distances = jnp.sum((z - nearest) ** 2, axis=-1)
        return self.commitment * (jnp.mean(distances) if mean else jnp.sum(distances))

    def perplexity(self) -> Float[Array, ""]:
        """How many entries are in use, in effect."""
        shares = self.usage / jnp.sum(self.usage)
        return jnp.exp(-jnp.sum(shares * jnp.log(shares + 1e-9)))
