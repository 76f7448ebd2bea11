"""What an investor holds, and what a trade costs."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Namedtuple, Pytree, buffer, call, data, groups, param, static, test


class Fill(Namedtuple):
    """What became of an order."""

    traded: Float[Array, " assets"] = data()
    paid: Float[Array, ""] = data()
    filled: Bool[Array, " assets"] = data()


@groups(costs=["impact", "fee"])
@test(
    sizes={"assets": 5, "factors": 2, "days": 3},
    values={"allowed": lambda: np.array([True, True, False, True, True])},
)
class Portfolio(Pytree, save=True):
    """Assets with a model of their risk by a few factors, and costs that are fitted."""

    holdings: Float[Array, " assets"] = data()
    loadings: Float[Array, "assets factors"] = data()
    """How much each factor moves each asset"""
    cash: Float[Array, ""] = data("full(1.5)")
    trades: Int32[Array, ""] = data("zeros")
    """How many orders were placed"""
    allowed: Bool[Array, " assets"] = buffer()
    """What may be traded"""
    own: Float[Array, " assets"] = param("full(-1.0)")
    """Logarithms of the variance that is an asset's own"""
    impact: Float[Array, " assets"] = param("full(-2.0)")
    """Before a softplus, by how much an order moves the price"""
    fee: Float[Array, ""] = param("full(-3.0)")
    """Before a softplus, what the broker takes"""
    aversion: float = static(0.7, check=lambda aversion: aversion > 0)
    short: bool = static(False)
    """Whether holdings may be negative"""

    def covariance(self, *, own: bool = True) -> Float[Array, "assets assets"]:
        """The covariance of returns."""
        common = self.loadings @ self.loadings.T
        return common + jnp.diag(jnp.exp(self.own)) if own else common

    def risk(self, weights: Float[Array, " assets"] | None = None) -> Float[Array, ""]:
        """The variance of what is held, or would be held."""
        weights = self.holdings if weights is None else weights
        spread = weights @ self.loadings
        return jnp.sum(spread**2) + jnp.sum(jnp.exp(self.own) * weights**2)

    def cost(self, order: Float[Array, " assets"], *, broker: bool = True) -> Float[Array, ""]:
        """What an order costs beside its price."""
        moved = 0.5 * jnp.sum(jax.nn.softplus(self.impact) * order**2)
        return moved + jax.nn.softplus(self.fee) * jnp.sum(jnp.abs(order)) if broker else moved

    def utility(self, expected: Float[Array, " assets"]) -> Float[Array, ""]:
        """How content an investor is who is averse to risk."""
        return expected @ self.holdings - 0.5 * self.aversion * self.risk()

    def filled(self, order: Float[Array, " assets"], prices: Float[Array, " assets"]) -> Fill:
        """What becomes of an order, where nothing is sold that is not held."""
        order = jnp.where(self.allowed, order, 0)
        if not self.short:
            order = jnp.maximum(order, -jnp.abs(self.holdings))
        return Fill(order, order @ prices + self.cost(order), order != 0)

    @call(carry="self")
    def traded(
        self, order: Float[Array, " assets"], prices: Float[Array, " assets"]
    ) -> tuple["Portfolio", Float[Array, ""]]:
        """The portfolio after an order, and what was paid."""
        fill = self.filled(order, prices)
        after = dataclasses.replace(
            self, holdings=self.holdings + fill.traded, cash=self.cash - fill.paid, trades=self.trades + 1
        )
        return after, fill.paid

    def drawn(
        self, days: int = 3, *, key: PRNGKeyArray, antithetic: bool = False
    ) -> Float[Array, "days assets"]:
        """Returns of some days; the last half of them mirrors the first where `antithetic`."""
        common, own = jax.random.split(key)
        factors = jax.random.normal(common, (days, self.loadings.shape[1]), self.loadings.dtype)
        noise = jax.random.normal(own, (days, self.own.shape[0]), self.own.dtype)
        returns = factors @ self.loadings.T + jnp.exp(0.5 * self.own) * noise
        half = (days + 1) // 2
        return jnp.concatenate([returns[:half], -returns[: days - half]]) if antithetic else returns
