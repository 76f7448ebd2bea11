"""Contrastive learning with a queue of former codes."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int32, Key, PRNGKeyArray

from scaffold.skeleton import Module, TrainState, data, param, static


class Tower(Module):
    """Maps an observation to a code of length 1."""

    inner: Float[Array, "hidden size"] = param("he_normal")
    offset: Float[Array, " hidden"] = param("zeros", decay=False)
    outer: Float[Array, "code hidden"] = param("lecun_normal")
    log_temperature: Float[Array, ""] = param("full(-1.0)", decay=False)
    rate: float = static(0.2, check=lambda rate: 0 <= rate < 1)
    """Share of the hidden units that training drops"""

    def __call__(self, x: Float[Array, " size"], *, key: PRNGKeyArray | None = None) -> Float[Array, " code"]:
        """The code of an observation; with a key hidden units are dropped."""
        hidden = jax.nn.relu(self.inner @ x + self.offset)
        if key is not None:
            kept = jax.random.bernoulli(key, 1 - self.rate, hidden.shape)
            hidden = jnp.where(kept, hidden / (1 - self.rate), 0)
        code = self.outer @ hidden
        return code * jax.lax.rsqrt(jnp.sum(code**2) + 1e-6)

    def logits(
        self, query: Float[Array, " code"], others: Float[Array, "entries code"], *, hard: bool = False
    ) -> Float[Array, " entries"]:
        """How alike a query and other codes are; `hard` leaves all but the nearest at a tenth."""
        alike = others @ query * jnp.exp(-self.log_temperature)
        if hard:
            alike = jnp.where(alike == jnp.max(alike), alike, 0.1 * alike)
        return alike


class Contrast(TrainState, ema=0.99, key=True, save=True):
    """Trains a tower against codes that it gave before."""

    model: Tower
    queue: Float[Array, "entries code"] = data()
    """Codes of former observations"""
    position: Int32[Array, ""] = data("zeros")
    """Where the next code goes"""
    smoothing: float = static(0.1, check=lambda smoothing: 0 <= smoothing < 1)

    def loss(self, code: Float[Array, " code"], positive: Float[Array, " code"]) -> Float[Array, ""]:
        """What it costs that a code is not nearest to its positive."""
        others = jnp.concatenate([positive[None], self.queue])
        logits = jax.nn.log_softmax(self.model.logits(code, others))
        return -(1 - self.smoothing) * logits[0] - self.smoothing * jnp.mean(logits)

    def dropout_keys(self) -> Key[Array, "2"]:
        """The keys with which this step drops the units of the two views."""
        return jax.random.split(self.step_key)
