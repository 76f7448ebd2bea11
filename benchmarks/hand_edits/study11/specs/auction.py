"""A bidder who learns."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, TrainState, buffer, call, data, module, param, static


class Bidder(Module):
    """Bids for lots by what they look like."""

    table: Float[Array, "sellers size"] = param("normal(0.3)")
    hidden: eqx.nn.Linear = module(lambda size, key: eqx.nn.Linear(size, size, key=key))
    value: Float[Array, " size"] = param("uniform(1.0)")
    caution: Float[Array, ""] = param("full(0.4)", decay=False)
    sold: Float[Array, " sellers"] = buffer("zeros")
    """How much each seller sold before"""
    rate: float = static(0.25, check=lambda rate: 0 <= rate < 1)
    sealed: bool = static(False)

    def __call__(
        self, seller: Int32[Array, ""], lot: Float[Array, " size"], *, key: PRNGKeyArray | None = None
    ) -> Float[Array, ""]:
        """A bid."""
        features = jnp.tanh(self.hidden(lot + self.table[seller]))
        if key is not None:
            kept = jax.random.bernoulli(key, 1 - self.rate, features.shape)
            features = jnp.where(kept, features / (1 - self.rate), 0)
        bid = features @ self.value + 0.1 * self.sold[seller]
        return bid - (2.0 if self.sealed else 1.0) * self.caution

    def ranked(self, sellers: Int32[Array, " n"], lots: Float[Array, "n size"]) -> Int32[Array, " n"]:
        """Lots by their bids, the best first."""
        return jnp.argsort(-jax.vmap(self)(sellers, lots)).astype(jnp.int32)


class Market(TrainState, ema=0.9, key=True):
    """How a bidder learns in a market."""

    model: Bidder
    reserve: Float[Array, " sellers"] = data()
    """Below this, nothing is sold"""
    open: Bool[Array, " sellers"] = buffer()
    purse: Float[Array, ""] = data("full(10.0)")
    cap: float = static(5.0, check=lambda cap: cap > 0)
    fees: bool = static(True)

    def price(
        self, seller: Int32[Array, ""], lot: Float[Array, " size"], *, second: bool = False
    ) -> Float[Array, ""]:
        """What is paid: 0 where the seller is closed."""
        bid = jnp.minimum(self.model(seller, lot), self.cap)
        paid = jnp.maximum(0.9 * bid if second else bid, self.reserve[seller])
        if self.fees:
            paid = 1.05 * paid
        return jnp.where(self.open[seller], paid, 0)

    @call(carry="self")
    def paid(self, amount: Float[Array, ""]) -> "Market":
        """With a purse that is lighter."""
        return eqx.tree_at(lambda market: market.purse, self, self.purse - 0.5 * amount)

    def lots(self, *, calm: bool = False) -> Float[Array, " sellers"]:
        """A draw of how much each seller offers next."""
        drawn = jax.random.exponential(self.step_key, self.reserve.shape, self.reserve.dtype)
        return self.reserve + (0.5 * drawn if calm else drawn)
