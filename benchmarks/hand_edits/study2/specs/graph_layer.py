from typing import Literal

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, groups, param, static, test


@groups(messages=["sender", "receiver", "gate"])
@test(
    sizes={"nodes": 4, "size": 3, "edges": 6},
    values={
        "senders": lambda: jnp.array([0, 1, 2, 0, 2, 1], jnp.int32),
        "receivers": lambda: jnp.array([1, 2, 0, 2, 1, 1], jnp.int32),
    },
)
class GraphLayer(Module, constructor="init"):
    """A layer of message passing on a directed graph."""

    sender: Float[Array, "size size"] = param("glorot_normal")
    receiver: Float[Array, "size size"] = param("glorot_normal")
    gate: Float[Array, " size"] | None = param("normal(0.5)", optional="use_gate")
    bias: Float[Array, " size"] = param("zeros", decay=False)
    reduce: Literal["sum", "mean", "max"] = static("mean")
    residual: bool = True
    drop: float = static(0.2, check=lambda drop: 0 <= drop < 1)
    """Share of the edges that a training step leaves out"""

    def __call__(
        self,
        nodes: Float[Array, "nodes size"],
        senders: Int32[Array, " edges"],
        receivers: Int32[Array, " edges"],
        *,
        key: PRNGKeyArray | None = None,
    ) -> Float[Array, "nodes size"]:
        """The next features of the nodes; with a key some edges are left out."""
        messages = self.messages(nodes, senders, receivers)
        if key is not None and self.drop > 0:
            kept = jax.random.bernoulli(key, 1 - self.drop, senders.shape)
            messages = jnp.where(kept[:, None], messages / (1 - self.drop), 0)
        pooled = self.pool(messages, receivers, nodes)
        updated = jax.nn.relu(pooled + self.bias)
        return nodes + updated if self.residual else updated

    def messages(
        self,
        nodes: Float[Array, "nodes size"],
        senders: Int32[Array, " edges"],
        receivers: Int32[Array, " edges"],
    ) -> Float[Array, "edges size"]:
        """What goes along each edge."""
        sent = nodes[senders] @ self.sender.T
        received = nodes[receivers] @ self.receiver.T
        if self.gate is None:
            return sent + received
        opened = jax.nn.sigmoid(nodes[receivers] @ self.gate)
        return opened[:, None] * sent + received

    def pool(
        self,
        messages: Float[Array, "edges size"],
        receivers: Int32[Array, " edges"],
        nodes: Float[Array, "nodes size"],
    ) -> Float[Array, "nodes size"]:
        """Messages together, at the nodes that receive them; 0 where none arrives."""
        many = nodes.shape[0]
        if self.reduce == "max":
            top = jax.ops.segment_max(messages, receivers, many)
            return jnp.where(jnp.isfinite(top), top, 0)
        total = jax.ops.segment_sum(messages, receivers, many)
        if self.reduce == "sum":
            return total
        degree = self.degrees(receivers, nodes)
        return total / jnp.maximum(degree, 1)[:, None].astype(total.dtype)

    def degrees(
        self, receivers: Int32[Array, " edges"], nodes: Float[Array, "nodes size"]
    ) -> Int32[Array, " nodes"]:
        """How many edges arrive at each node."""
        return jax.ops.segment_sum(jnp.ones_like(receivers), receivers, nodes.shape[0])
