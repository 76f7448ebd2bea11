"""Layers on graphs."""

import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float, Int


class GraphConv(nnx.Module):
    """Mean aggregation over incoming edges, with a gate for each edge."""

    def __init__(self, in_features: int, out_features: int, edge_features: int, *, rngs: nnx.Rngs):
        self.message = nnx.Linear(in_features, out_features, use_bias=False, rngs=rngs)
        self.own = nnx.Linear(in_features, out_features, rngs=rngs)
        self.gate = nnx.Param(0.3 * jax.random.normal(rngs.params(), (edge_features, out_features)))
        self.momentum = 0.9
        self.scale = nnx.BatchStat(jnp.ones((out_features,), jnp.float32))
        self.training = True

    def __call__(
        self,
        nodes: Float[Array, "nodes in_features"],
        edges: Float[Array, "edges edge_features"],
        senders: Int[Array, " edges"],
        receivers: Int[Array, " edges"],
    ) -> Float[Array, "nodes out_features"]:
        count = nodes.shape[0]
        gates = jax.nn.sigmoid(edges @ self.gate[...])
        messages = gates * self.message(nodes)[senders]
        total = jax.ops.segment_sum(messages, receivers, num_segments=count)
        ones = jnp.ones(receivers.shape, messages.dtype)
        degree = jax.ops.segment_sum(ones, receivers, num_segments=count)
        mean = total / jnp.maximum(degree, 1)[:, None]
        hidden = self.own(nodes) + mean
        if self.training:
            spread = jax.lax.stop_gradient(jnp.mean(jnp.abs(hidden), axis=0))
            old = self.momentum * self.scale[...]
            self.scale[...] = old + (1 - self.momentum) * spread
        return jax.nn.relu(hidden / (self.scale[...] + 1e-3))
