"""Weights that a layer writes while it runs."""

from typing import Literal

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, buffer, param, state, static, test


@test(sizes={"size": 3, "memory": 5})
class FastMemory(Module):
    """Writes what it sees into a matrix, and reads from it."""

    keys: Float[Array, "memory size"] = param("lecun_normal")
    values: Float[Array, "memory size"] = param("lecun_normal")
    queries: Float[Array, "memory size"] = param("lecun_normal")
    strength: Float[Array, " size"] | None = param("zeros", optional="gated", decay=False)
    """Which inputs are written more strongly"""
    written: Float[Array, "memory memory"] = state("zeros")
    total: Float[Array, " memory"] = state("full(0.1)")
    """Sum of the keys that were written"""
    writes: Int32[Array, ""] = state("zeros")
    keep: float = static(0.9, check=lambda keep: 0 < keep <= 1)
    """What is left of the matrix after a write"""
    rule: Literal["delta", "hebb"] = static("delta")
    noise: float = static(0.1, check=lambda noise: noise >= 0)
    inference: bool = buffer(False)

    def __call__(
        self, x: Float[Array, " size"], state: eqx.nn.State, *, key: PRNGKeyArray | None = None
    ) -> tuple[Float[Array, " memory"], eqx.nn.State]:
        """Write an input, and read what goes with it; with a key the query is noisy."""
        if not self.inference:
            state = self.write(x, state)
        query = self.feature(self.queries @ x)
        if key is not None and not self.inference:
            query = query + self.noise * jax.random.normal(key, query.shape, query.dtype)
        read, state = self.read(query, state)
        return read, state

    def write(self, x: Float[Array, " size"], state: eqx.nn.State) -> eqx.nn.State:
        """Write an input."""
        key, value = self.feature(self.keys @ x), self.values @ x
        gain = self.gain(x)
        if self.rule == "delta":
            value = value - self.written @ key / (1 + jnp.sum(key**2))
        self.written = self.keep * self.written + gain * jnp.outer(value, key)
        self.total = self.keep * self.total + gain * key
        self.writes += 1
        return state

    def read(
        self, query: Float[Array, " memory"], state: eqx.nn.State
    ) -> tuple[Float[Array, " memory"], eqx.nn.State]:
        """What the matrix has for a query, over how much of it was written."""
        return self.written @ query / (jnp.abs(self.total @ query) + 0.1), state

    def gain(self, x: Float[Array, " size"]) -> Float[Array, ""]:
        """How strongly an input is written."""
        if self.strength is None:
            return jnp.ones_like(x[0])
        return 2 * jax.nn.sigmoid(self.strength @ x)

    def feature(self, x: Float[Array, " memory"]) -> Float[Array, " memory"]:
        """Positive features of length 1."""
        positive = jax.nn.elu(x) + 1
        return positive / jnp.sqrt(jnp.sum(positive**2) + 1e-6)

    def occupied(self, *, relative: bool = False) -> Float[Array, ""]:
        """The size of the matrix, in the mean over the writes where `relative`."""
        size = jnp.sqrt(jnp.sum(self.written**2) + 1e-6)
        return size / jnp.maximum(self.writes, 1).astype(size.dtype) if relative else size
