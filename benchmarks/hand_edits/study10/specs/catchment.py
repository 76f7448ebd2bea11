"""Water of a river, from the rain on its basins to its mouth."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Namedtuple, Pytree, buffer, call, data, groups, param, static, test


class Flood(Namedtuple):
    """What a flood does."""

    flow: Float[Array, " basins"] = data()
    over: Bool[Array, " basins"] = data()
    """Where the dykes were too low"""
    damage: Float[Array, ""] = data()


@groups(soil=["permeability", "drain"])
@test(
    sizes={"basins": 5, "days": 3},
    values={"gauged": lambda: np.array([True, False, True, True, False])},
)
class Catchment(Pytree, save=True):
    """Basins whose soil holds water, and the rivers between them."""

    moisture: Float[Array, " basins"] = data()
    """How much water the soil holds"""
    day: Int32[Array, ""] = data("zeros")
    river: Float[Array, "basins basins"] = buffer()
    """Logits of what share of the water of a basin flows to each"""
    area: Float[Array, " basins"] = buffer("=1.0 + jnp.arange(basins, dtype=dtype) / basins")
    gauged: Bool[Array, " basins"] = buffer()
    """Where the flow is measured"""
    permeability: Float[Array, " basins"] = param("full(-0.5)")
    """Before a sigmoid, what share of the rain the soil takes"""
    drain: Float[Array, " basins"] = param("full(-1.0)")
    """Before a sigmoid, what share of its water the soil loses in a day"""
    dryness: Float[Array, ""] = param("full(0.6)")
    """Before a softplus, how fast dry soil takes more"""
    evaporation: float = static(0.2, check=lambda evaporation: 0 <= evaporation < 1)
    sealed: bool = static(False)
    """Whether the ground is paved"""

    def taken(self, rain: Float[Array, " basins"], *, frozen: bool = False) -> Float[Array, " basins"]:
        """How much of the rain the soil takes, which is little below paving and a tenth where it is frozen."""
        dry = jnp.exp(-jax.nn.softplus(self.dryness) * jnp.abs(self.moisture))
        logits = self.permeability + dry
        if self.sealed:
            logits = logits - 2
        return jax.nn.sigmoid(logits) * jnp.abs(rain) * (0.1 if frozen else 1.0)

    def runoff(self, rain: Float[Array, " basins"], *, frozen: bool = False) -> Float[Array, " basins"]:
        """The water that leaves each basin in a day."""
        above = jnp.abs(rain) - self.taken(rain, frozen=frozen)
        below = jax.nn.sigmoid(self.drain) * jnp.abs(self.moisture)
        return self.area * (above + below)

    def routed(self, runoff: Float[Array, " basins"], reaches: int = 2) -> Float[Array, " basins"]:
        """What flows by each basin, after water went through so many reaches of the river."""
        share = 0.5 * jax.nn.softmax(self.river, axis=0)
        flow = runoff
        for _ in range(reaches):
            flow = runoff + share @ flow
        return flow

    @call(carry="self")
    def rained(self, rain: Float[Array, " basins"]) -> tuple["Catchment", Float[Array, " basins"]]:
        """The catchment after a day, and what flowed."""
        kept = jnp.abs(self.moisture) * (1 - jax.nn.sigmoid(self.drain))
        moisture = (1 - self.evaporation) * kept + self.taken(rain)
        return dataclasses.replace(self, moisture=moisture, day=self.day + 1), self.routed(self.runoff(rain))

    def error(
        self,
        flow: Float[Array, " basins"],
        measured: Float[Array, " basins"],
        valid: Bool[Array, " basins"] | None = None,
        *,
        relative: bool = False,
    ) -> Float[Array, ""]:
        """How far flows are from those that gauges measured."""
        trusted = self.gauged if valid is None else self.gauged & valid
        wrong = (flow - measured) ** 2
        if relative:
            wrong = wrong / (measured**2 + 0.1)
        return jnp.sum(jnp.where(trusted, wrong, 0)) / (jnp.sum(trusted) + 1e-3)

    def flood(
        self, rain: Float[Array, " basins"], dykes: Float[Array, " basins"], *, frozen: bool = True
    ) -> Flood:
        """What rain does behind dykes."""
        flow = self.routed(self.runoff(rain, frozen=frozen))
        above = flow - jnp.abs(dykes)
        return Flood(flow, above > 0, jnp.sum(self.area * jax.nn.relu(above) ** 2))

    def forecast(
        self, rain: Float[Array, " basins"], days: int = 3, *, key: PRNGKeyArray, spread: float = 0.4
    ) -> Float[Array, "days basins"]:
        """The runoff of some days whose rain is uncertain, the more so in all basins at once."""
        local, shared = jax.random.split(key)
        noise = jax.random.normal(local, (days, *rain.shape), rain.dtype)
        noise = noise + 2 * jax.random.normal(shared, (days, 1), rain.dtype)
        return jax.vmap(self.runoff)(rain * jnp.exp(spread * noise))
