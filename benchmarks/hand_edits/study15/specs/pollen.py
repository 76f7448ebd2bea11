"""Pollen in the wind."""

from typing import Literal

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, buffer, module, param, static, test


@test(sizes={"plants": 5}, rejected=[{"spread": -1.0}])
class Pollen(Module):
    """Grains that gusts carry from plant to plant."""

    drift: Float[Array, "plants gusts_size"] = param("lecun_uniform")
    stickiness: Float[Array, " plants"] = param("full(0.5)", decay=False)
    scent: Float[Array, " plants"] | None = param("normal(0.2)", optional="fragrant", decay=False)
    leaves: list[eqx.nn.Linear] = module(
        lambda plants, depth, dtype, key: [
            eqx.nn.Linear(plants, plants, dtype=dtype, key=one) for one in jax.random.split(key, depth)
        ]
    )
    rain: eqx.nn.Dropout = module(lambda: eqx.nn.Dropout(0.4))
    walled: Bool[Array, " plants"] = buffer()
    season: PRNGKeyArray = buffer()
    """The weather of the year"""
    depth: int = static(2, check=lambda depth: depth > 0)
    spread: float = static(0.3, check=lambda spread: spread >= 0)
    carrier: Literal["wind", "bees", "water"] = static("wind")

    def __call__(
        self,
        gust: Float[Array, " gusts_size"],
        *,
        key: PRNGKeyArray | None = None,
        inference: bool | None = None,
    ) -> Float[Array, " plants"]:
        """What lands on each plant."""
        landed = self.drift @ gust
        for leaf in self.leaves:
            landed = jnp.tanh(leaf(landed))
        if self.scent is not None:
            landed = landed + (2 * self.scent if self.carrier == "bees" else self.scent)
        quiet = self.rain.inference if inference is None else inference
        if key is not None and not quiet:
            shower, eddy = jax.random.split(key)
            landed = self.rain(landed, key=shower, inference=False)
            landed = landed + self.spread * jax.random.normal(eddy, landed.shape, landed.dtype)
        landed = jnp.where(self.walled, 0, landed)
        return landed * self.stickiness

    def sampled(
        self, gusts: Float[Array, "n gusts_size"], *, key: PRNGKeyArray, paired: bool = False
    ) -> Float[Array, "n plants"]:
        """One draw for each gust, or the mean of two."""

        def one(gust: jax.Array, key: jax.Array) -> jax.Array:
            if not paired:
                return self(gust, key=key)
            first, second = jax.random.split(key)
            return (self(gust, key=first) + self(gust, key=second)) / 2

        return jax.vmap(one)(gusts, jax.random.split(key, len(gusts)))

    def forecast(self, days: Int32[Array, " m"]) -> Float[Array, "m plants"]:
        """The noise of each day of the season."""

        def day(number: jax.Array) -> jax.Array:
            noise = jax.random.normal(jax.random.fold_in(self.season, number), self.stickiness.shape)
            return self.spread * noise.astype(self.stickiness.dtype)

        return jax.vmap(day)(days)

    def sown(
        self, grains: Float[Array, " plants"], *, key: PRNGKeyArray, greedy: bool = False
    ) -> tuple[Int32[Array, ""], Float[Array, " plants"]]:
        """The plant on which a grain germinates, and how probable each is."""
        logits = jnp.where(self.walled, -jnp.inf, grains * jax.nn.softplus(self.stickiness))
        drawn = jnp.argmax(logits) if greedy else jax.random.categorical(key, logits)
        return drawn.astype(jnp.int32), jax.nn.softmax(logits)
