"""A column that distils."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, DTypeLike, Float, PRNGKeyArray

from scaffold.skeleton import Module, buffer, call, data, module, param, shared, static


class Tray(Module):
    """One tray: liquid and vapour exchange what they hold."""

    mixing: Float[Array, "parts parts"] = param("orthogonal(0.5)")
    boil: Float[Array, " parts"] = param("zeros", decay=False)
    loss: float = static(0.1)

    def __call__(self, vapour: Float[Array, " parts"], *, foaming: bool = False) -> Float[Array, " parts"]:
        """The vapour that leaves it."""
        liquid = self.mixing @ vapour + self.boil
        kept = 1 - self.loss
        if foaming:
            kept = 0.5 * kept
        return kept * vapour + 0.3 * jnp.tanh(liquid)


class Column(Module):
    """Trays above each other, below a condenser."""

    feed: Float[Array, "parts sources"] = param("glorot_normal")
    split: Float[Array, "sources parts"] = shared("feed.T")
    trays: list[Tray] = module(stacked=True, remat=True)
    condenser: Float[Array, " parts"] | None = param("ones", optional="condensed")
    start: Float[Array, "parts parts"] = param("lecun_normal", frozen="held")
    volatility: Float[Array, " parts"] = buffer()
    wanted: Bool[Array, " parts"] = buffer()
    pressure: Float[Array, ""] = data()
    held: bool = static(True)
    total: bool = static(False)
    """Whether all of the reflux goes back"""
    count: int = static(3)

    def __init__(
        self,
        volatility: Float[Array, " parts"],
        wanted: Bool[Array, " parts"],
        pressure: Float[Array, ""],
        parts: int,
        sources: int,
        count: int = 3,
        held: bool = True,
        total: bool = False,
        condensed: bool = True,
        dtype: DTypeLike | None = None,
        *,
        key: PRNGKeyArray,
    ):
        self.volatility = volatility
        self.wanted = wanted
        self.pressure = pressure
        self.count = count
        self.held = held
        self.total = total
        self.trays = [Tray.create(parts, dtype=dtype, key=one) for one in jax.random.split(key, count)]

    def __call__(
        self, source: Float[Array, " sources"]
    ) -> tuple[Float[Array, " parts"], Float[Array, "count parts"]]:
        """What comes out at the top, and the vapour above each tray."""
        fed = self.feed @ source
        fed = fed - 0.3 * self.feed @ self.returned(fed)
        vapour = self.boiled(fed)
        profile = []
        for tray in self.trays:
            vapour = tray(vapour)
            profile.append(vapour)
        top = self.condense(vapour)
        return (top if self.total else 0.6 * top), jnp.stack(profile)

    def boiled(self, fed: Float[Array, " parts"]) -> Float[Array, " parts"]:
        """The vapour below the first tray."""
        return self.start @ fed * self.volatility

    def condense(self, vapour: Float[Array, " parts"], *, flooded: bool = False) -> Float[Array, " parts"]:
        """Make vapour liquid."""
        cooled = self.pressure * vapour
        if flooded:
            cooled = jnp.minimum(cooled, 0.5)
        return cooled if self.condenser is None else self.condenser * cooled

    def purity(self, product: Float[Array, " parts"], *, soft: bool = False) -> Float[Array, ""]:
        """How much of a product is what is wanted."""
        amounts = jax.nn.softplus(product) if soft else jnp.abs(product)
        return jnp.sum(jnp.where(self.wanted, amounts, 0)) / jnp.sum(amounts)

    def returned(self, product: Float[Array, " parts"]) -> Float[Array, " sources"]:
        """What goes back to the sources."""
        return self.split @ (product / (1 + self.volatility**2))

    @call(carry="self")
    def throttled(self, change: Float[Array, ""]) -> "Column":
        """At another pressure."""
        return eqx.tree_at(lambda column: column.pressure, self, self.pressure + 0.5 * change)

    def leaked(
        self, product: Float[Array, " parts"], *, rate: float = 0.3, key: PRNGKeyArray
    ) -> Float[Array, " parts"]:
        """With losses at random."""
        lost = jax.random.bernoulli(key, rate, product.shape)
        return jnp.where(lost, 0, product)
