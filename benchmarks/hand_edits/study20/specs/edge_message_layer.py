"""Message passing on a directed graph with edge features, padded edges masked."""

import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Bool, Float, Int


class EdgeMessageLayer(nnx.Module):
    def __init__(
        self,
        node_dim: int,
        edge_dim: int,
        hidden: int,
        *,
        aggregate: str = "mean",
        residual: bool = True,
        rngs: nnx.Rngs,
    ):
        if aggregate not in ("mean", "sum", "max"):
            raise ValueError(f"unknown aggregate {aggregate!r}")
        self.aggregate = aggregate
        self.residual = residual
        self.message_in = nnx.Linear(2 * node_dim + edge_dim, hidden, rngs=rngs)
        self.message_out = nnx.Linear(hidden, hidden, rngs=rngs)
        self.update = nnx.Linear(node_dim + hidden, node_dim, rngs=rngs)
        self.norm = nnx.LayerNorm(node_dim, rngs=rngs)
        self.edge_gate = nnx.Param(jnp.zeros((edge_dim,)))

    def messages(
        self,
        nodes: Float[Array, "nodes node_dim"],
        edges: Float[Array, "edges edge_dim"],
        senders: Int[Array, " edges"],
        receivers: Int[Array, " edges"],
    ) -> Float[Array, "edges hidden"]:
        joined = jnp.concatenate([nodes[senders], nodes[receivers], edges], axis=-1)
        gate = 2.0 * jax.nn.sigmoid(edges @ self.edge_gate[...])
        return gate[:, None] * self.message_out(jax.nn.silu(self.message_in(joined)))

    def collect(
        self,
        msg: Float[Array, "edges hidden"],
        receivers: Int[Array, " edges"],
        mask: Bool[Array, " edges"],
        num_nodes: int,
    ) -> Float[Array, "nodes hidden"]:
        """Nodes without an incoming edge get zeros."""
        weight = mask.astype(msg.dtype)
        degree = jax.ops.segment_sum(weight, receivers, num_segments=num_nodes)
        if self.aggregate == "max":
            low = jnp.where(mask[:, None], msg, -jnp.inf)
            top = jax.ops.segment_max(low, receivers, num_segments=num_nodes)
            return jnp.where(degree[:, None] > 0, top, 0.0)
        total = jax.ops.segment_sum(msg * weight[:, None], receivers, num_segments=num_nodes)
        if self.aggregate == "mean":
            total = total / jnp.maximum(degree, 1.0)[:, None]
        return total

    def __call__(self, nodes, edges, senders, receivers, mask=None) -> Float[Array, "nodes node_dim"]:
        """Arguments as in `messages`; mask is False for padding edges."""
        if mask is None:
            mask = jnp.ones(senders.shape, dtype=bool)
        msg = self.messages(nodes, edges, senders, receivers)
        pooled = self.collect(msg, receivers, mask, nodes.shape[0])
        new = self.update(jnp.concatenate([nodes, pooled], axis=-1))
        return self.norm(nodes + new if self.residual else new)
