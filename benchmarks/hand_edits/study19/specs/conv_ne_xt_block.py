"""A ConvNeXt block."""

import jax
import jax.numpy as jnp
from flax import nnx


class ConvNeXtBlock(nnx.Module):
    """Depthwise convolution, an inverted bottleneck, and a residual."""

    def __init__(
        self,
        features: int,
        *,
        kernel_size: int = 3,
        expansion: int = 4,
        layer_scale: float = 1e-2,
        dropout: float = 0.1,
        rngs: nnx.Rngs,
    ):
        self.features = features
        self.depthwise = nnx.Conv(
            features,
            features,
            kernel_size=(kernel_size, kernel_size),
            feature_group_count=features,
            padding="SAME",
            rngs=rngs,
        )
        self.norm = nnx.LayerNorm(features, rngs=rngs)
        self.expand = nnx.Linear(features, expansion * features, rngs=rngs)
        self.contract = nnx.Linear(expansion * features, features, rngs=rngs)
        self.gamma = nnx.Param(jnp.full((features,), layer_scale, jnp.float32))
        self.dropout = nnx.Dropout(dropout, rngs=rngs)
        self.seen = nnx.BatchStat(jnp.zeros((), jnp.int32))

    def __call__(self, x: jax.Array) -> jax.Array:
        """Map images of shape (batch, height, width, features)."""
        if x.shape[-1] != self.features:
            raise ValueError(f"expected {self.features} features, got {x.shape[-1]}")
        self.seen[...] += x.shape[0]
        y = self.depthwise(x)
        y = self.norm(y)
        y = jax.nn.gelu(self.expand(y))
        y = self.contract(y)
        y = self.dropout(self.gamma * y)
        return x + y
