"""A canal with locks."""

from typing import Literal

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, DTypeLike, Float, PRNGKeyArray

from scaffold.skeleton import Module, buffer, call, data, module, param, shared, static


class Lock(Module):
    """One lock: gates let water through."""

    gate: Float[Array, "basins basins"] = param("lecun_normal")
    sill: Float[Array, " basins"] = param("full(0.1)", decay=False)
    seep: float = static(0.05)

    def __call__(self, water: Float[Array, " basins"], *, closed: bool = False) -> Float[Array, " basins"]:
        """The water below it."""
        through = jnp.tanh(self.gate @ water) - self.sill
        if closed:
            through = self.seep * through
        return (1 - self.seep) * water + through


class Canal(Module):
    """Locks after each other, between two rivers."""

    intake: Float[Array, "basins rivers"] = param("glorot_normal")
    outlet: Float[Array, "rivers basins"] = shared("intake.T")
    locks: list[Lock] = module(stacked=True)
    weir: Float[Array, " basins"] | None = param("ones", optional="weired")
    bed: Float[Array, " basins"] = param("zeros", frozen="lined")
    width: Float[Array, " basins"] = buffer()
    dredged: Bool[Array, " basins"] = buffer()
    rain: Float[Array, ""] = data()
    lined: bool = static(True)
    traffic: Literal["barges", "boats", "none"] = static("boats")
    tidal: bool = static(False)
    count: int = static(3)

    def __init__(
        self,
        width: Float[Array, " basins"],
        dredged: Bool[Array, " basins"],
        rain: Float[Array, ""],
        basins: int,
        rivers: int,
        count: int = 3,
        lined: bool = True,
        traffic: Literal["barges", "boats", "none"] = "boats",
        tidal: bool = False,
        weired: bool = True,
        dtype: DTypeLike | None = None,
        *,
        key: PRNGKeyArray,
    ):
        self.width = width
        self.dredged = dredged
        self.rain = rain
        self.count = count
        self.lined = lined
        self.traffic = traffic
        self.tidal = tidal
        self.locks = [Lock.create(basins, dtype=dtype, key=one) for one in jax.random.split(key, count)]

    def __call__(
        self, river: Float[Array, " rivers"]
    ) -> tuple[Float[Array, " rivers"], Float[Array, "count basins"]]:
        """What leaves the canal, and the levels below each lock."""
        water = self.intake @ river + self.bed
        levels = []
        for lock in self.locks:
            water = lock(water)
            levels.append(water)
        spilled = water if self.weir is None else self.weir * water
        return self.outlet @ (spilled / (1 + self.width**2)), jnp.stack(levels)

    def season(
        self, days: Float[Array, "days basins"], start: Float[Array, " basins"], *, dry: bool = False
    ) -> tuple[Float[Array, " basins"], Float[Array, " days"]]:
        """Levels after a season of rain, and the mean of each day."""

        def step(level: Float[Array, " basins"], day: Float[Array, " basins"]):
            level = 0.9 * level + (0 if dry else self.rain) * day
            return level, jnp.mean(level)

        return jax.lax.scan(step, start, days)

    def wake(self, speed: Float[Array, " basins"]) -> Float[Array, " basins"]:
        """What traffic does to the water."""
        if self.traffic == "none":
            return jnp.zeros_like(speed)
        if self.tidal:
            speed = speed + 0.5
        wave = speed**2 / (1 + self.width)
        return wave if self.traffic == "boats" else 2 * wave

    def silted(self, mud: Float[Array, " basins"], *, flood: bool = False) -> Float[Array, ""]:
        """How much mud stays where nothing is dredged."""
        left = jnp.where(self.dredged, 0, jax.nn.softplus(mud))
        return jnp.max(left) if flood else jnp.sum(left)

    @call(carry="self")
    def rained(self, change: Float[Array, ""]) -> "Canal":
        """In other weather."""
        return eqx.tree_at(lambda canal: canal.rain, self, self.rain + 0.3 * change)

    def ships(
        self, mean: Float[Array, " basins"], *, rate: float = 0.4, key: PRNGKeyArray
    ) -> Float[Array, " basins"]:
        """Ships that come by chance."""
        come = jax.random.bernoulli(key, rate, mean.shape)
        return jnp.where(come, mean, 0)
