import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Bool, Float, Int32

from scaffold.skeleton import Nnx, module, param, state, static, test


@test(rejected=[{"decay": 1.0}])
class VectorQuantizer(Nnx, save=True):
    """Vector quantisation with a codebook that follows the data (van den Oord et al. 2017)."""

    project: nnx.Linear = module(
        lambda in_size, size, dtype, rngs: nnx.Linear(in_size, size, param_dtype=dtype, rngs=rngs)
    )
    gain: Float[Array, " size"] | None = param("ones", optional="use_gain")
    codebook: Float[Array, "codes size"] = state("normal(0.5)", variable="Codebook")
    totals: Float[Array, "codes size"] = state("zeros", variable="BatchStat")
    counts: Float[Array, " codes"] = state("zeros", variable="BatchStat")
    steps: Int32[Array, ""] = state("zeros", variable="Count")
    decay: float = static(0.9, check=lambda decay: 0 <= decay < 1)
    """Share of the statistics that a batch leaves"""
    commitment: float = static(0.25)
    """Weight of the distance from the code in the loss"""

    def __call__(
        self, x: Float[Array, "batch in_size"], *, train: bool = True
    ) -> tuple[Float[Array, "batch size"], Float[Array, ""]]:
        """The code of each vector, through which gradients pass as they are, and the loss."""
        z = self.embedded(x)
        index = self.nearest(z)
        chosen = jax.nn.one_hot(index, self.codebook.shape[0], dtype=z.dtype)
        if train:
            fixed = jax.lax.stop_gradient(z)
            self.steps += 1
            self.counts = self.decay * self.counts + (1 - self.decay) * jnp.sum(chosen, axis=0)
            self.totals = self.decay * self.totals + (1 - self.decay) * chosen.T @ fixed
            used = self.counts > 1e-3
            means = self.totals / jnp.where(used, self.counts, 1)[:, None]
            self.codebook = jnp.where(used[:, None], means, self.codebook)
        code = jax.lax.stop_gradient(self.codebook[index])
        loss = self.commitment * jnp.mean((z - code) ** 2)
        return z + jax.lax.stop_gradient(code - z), loss

    def embedded(self, x: Float[Array, "batch in_size"]) -> Float[Array, "batch size"]:
        """The vectors among which codes are sought."""
        z = self.project(x)
        return z if self.gain is None else z * self.gain

    def nearest(self, z: Float[Array, "batch size"]) -> Int32[Array, " batch"]:
        """The index of the nearest code."""
        distance = jnp.sum((z[:, None] - self.codebook[None]) ** 2, axis=-1)
        return jnp.argmin(distance, axis=-1).astype(jnp.int32)

    def encode(self, x: Float[Array, "batch in_size"]) -> Int32[Array, " batch"]:
        """The codes of a batch."""
        return self.nearest(self.embedded(x))

    def decode(self, index: Int32[Array, " batch"]) -> Float[Array, "batch size"]:
        """The vectors of codes."""
        return self.codebook[index]

    def dead(self, *, least: float = 0.01) -> Bool[Array, " codes"]:
        """Which codes have less than this share of the data."""
        total = jnp.sum(self.counts)
        return self.counts < least * jnp.where(total > 0, total, 1)
