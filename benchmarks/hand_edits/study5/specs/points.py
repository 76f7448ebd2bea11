"""An encoder of point clouds."""

from typing import Literal

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from scaffold.skeleton import Module, buffer, param, static


class Points(Module, save=True):
    """Encodes a set of points, of which some may be missing, by a vector that knows no order."""

    lift: Float[Array, "hidden size"] = param("he_normal")
    bias: Float[Array, " hidden"] | None = param("zeros", optional="use_bias")
    gate: Float[Array, " hidden"] = param("full(0.5)")
    head: Float[Array, "code hidden"] = param("lecun_normal")
    centre: Float[Array, " size"] = buffer()
    """Mean of the points of all clouds"""
    pooling: Literal["mean", "max"] = static("mean")
    jitter: float = static(0.1, check=lambda jitter: jitter >= 0)
    """Deviation of the noise that training adds to a point"""

    def __call__(
        self,
        points: Float[Array, "n size"],
        present: Bool[Array, " n"] | None = None,
        *,
        key: PRNGKeyArray | None = None,
    ) -> Float[Array, " code"]:
        """The code of a cloud; with a key its points are moved at random."""
        if key is not None:
            noise = jax.random.normal(key, points.shape, points.dtype)
            points = points + self.jitter * noise
        return self.head @ self.pool(self.features(points), present)

    def features(self, points: Float[Array, "n size"]) -> Float[Array, "n hidden"]:
        """What is known of each point by itself."""
        hidden = (points - self.centre) @ self.lift.T
        if self.bias is not None:
            hidden = hidden + self.bias
        return jax.nn.silu(hidden) + self.gate * hidden

    def pool(
        self, features: Float[Array, "n hidden"], present: Bool[Array, " n"] | None = None
    ) -> Float[Array, " hidden"]:
        """One vector for all points that are present; zeros for none."""
        if present is None:
            present = jnp.ones(features.shape[0], bool)
        if self.pooling == "max":
            seen = jnp.where(present[:, None], features, -jnp.inf)
            return jnp.where(jnp.any(present), jnp.max(seen, axis=0), 0.0)
        total = jnp.sum(jnp.where(present[:, None], features, 0.0), axis=0)
        return total / jnp.maximum(jnp.sum(present), 1).astype(features.dtype)

    def similarity(
        self, one: Float[Array, "n size"], other: Float[Array, "n size"], *, centred: bool = False
    ) -> Float[Array, ""]:
        """The cosine between the codes of two clouds, each moved to its own centre where `centred`."""
        if centred:
            one = one - jnp.mean(one, axis=0)
            other = other - jnp.mean(other, axis=0)
        a, b = self(one), self(other)
        return jnp.vdot(a, b) / (jnp.linalg.norm(a) * jnp.linalg.norm(b) + 1e-6)
