"""A portfolio of assets."""

from typing import Literal

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, Key, PRNGKeyArray

from scaffold.skeleton import Pytree, buffer, call, data, derived, groups, param, static, test


@groups(risk=["loading", "idle"])
@test(positive=["fee"], rejected=[{"leverage": 0.0}])
class Portfolio(Pytree, rebuild="flag", save=True):
    """Assets that factors move."""

    score: Float[Array, " assets"] = param("normal(0.5)")
    loading: Float[Array, "assets factors"] = param("glorot_normal")
    idle: Float[Array, " assets"] = param("full(0.2)")
    """What each asset risks by itself"""
    fee: Float[Array, " assets"] = buffer()
    tradable: Bool[Array, " assets"] = buffer()
    cash: Float[Array, ""] = data()
    scenarios: tuple[Float[Array, " factors"], ...] = data()
    days: Int32[Array, ""] = buffer("zeros")
    dice: Key[Array, ""] = buffer()
    style: Literal["long", "neutral", "short"] = static("long")
    leverage: float = static(1.5, check=lambda leverage: leverage > 0)
    tags: frozenset[str] = static(frozenset({"green"}))
    covariance: Float[Array, "assets assets"] = derived(
        lambda self: self.loading @ self.loading.T + jnp.diag(jnp.square(self.idle))
    )

    def __call__(self, returns: Float[Array, " assets"], *, gross: bool = False) -> Float[Array, ""]:
        """What a day earns, after fees unless it is gross."""
        earned = self.shares() @ returns + 0.01 * self.cash
        if gross:
            return earned
        return earned - self.costs(self.shares())

    def shares(self) -> Float[Array, " assets"]:
        """How much of each asset is held: 0 of what cannot be traded."""
        wished = jnp.where(self.tradable, jnp.tanh(self.score), 0)
        if self.style == "neutral":
            wished = wished - jnp.where(self.tradable, jnp.sum(wished) / jnp.sum(self.tradable), 0)
        elif self.style == "short":
            wished = -wished
        return self.leverage * wished

    def costs(self, traded: Float[Array, " assets"]) -> Float[Array, ""]:
        """Fees of a trade, in either direction."""
        return jnp.sum(self.fee * jnp.abs(traded))

    def stressed(self, weight: Float[Array, ""]) -> tuple[Float[Array, ""], ...]:
        """What each scenario earns."""
        return tuple(weight * (self.shares() @ (self.loading @ one)) for one in self.scenarios)

    def risk(self, *, relative: bool = False) -> Float[Array, ""]:
        """The deviation of what a day earns."""
        held = self.shares()
        risk = jnp.sqrt(held @ self.covariance @ held + 1e-4)
        return risk / (1 + jnp.sum(jnp.abs(held))) if relative else risk

    @call(carry="self")
    def tomorrow(self, earned: Float[Array, ""]) -> "Portfolio":
        """A day later, with what was earned and other dice."""
        return Portfolio(
            self.score,
            self.loading,
            self.idle,
            self.fee,
            self.tradable,
            self.cash + 0.5 * earned,
            self.scenarios,
            self.days + 1,
            jax.random.fold_in(self.dice, self.days),
            self.style,
            self.leverage,
            self.tags,
        )

    def tossed(self, count: Float[Array, " n"]) -> Float[Array, "n assets"]:
        """Returns of days that the dice make, as wild as each number says."""
        drawn = jax.random.normal(self.dice, (count.shape[0], self.score.shape[0]), count.dtype)
        return count[:, None] * drawn

    def simulated(
        self, days: Float[Array, "n factors"], *, calm: bool = False, key: PRNGKeyArray
    ) -> Float[Array, "n assets"]:
        """Returns of assets on days that move factors, with what each does by itself."""
        moved = days @ self.loading.T
        own = jax.random.normal(key, moved.shape, moved.dtype)
        return moved + (0.1 * self.idle if calm else self.idle) * own

    def best(self, returns: Float[Array, "n assets"]) -> Int32[Array, " n"]:
        """The asset that earned most on each day, among those that can be traded."""
        return jnp.argmax(jnp.where(self.tradable, returns, -1e4), axis=1).astype(jnp.int32)
