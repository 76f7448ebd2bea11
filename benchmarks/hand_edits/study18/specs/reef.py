"""A coral reef under the tide."""

from typing import Literal

import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Bool, Float, Int32

from scaffold.skeleton import Nnx, buffer, data, module, param, state, static, test


@test(rejected=[{"salinity": 0.0}, {"depth": 0}])
class Reef(Nnx, save=True):
    """Corals, and the fish that live of them."""

    polyps: Float[Array, "corals currents"] = param("he_normal")
    lime: Float[Array, " corals"] = param("full(0.8)")
    algae: Float[Array, " corals"] | None = param("truncated_normal(0.3)", optional="algal")
    shelves: Float[Array, "fish corals"] = param("orthogonal", frozen=True)
    """Which corals hide which fish"""
    terraces: list[nnx.Linear] = module(
        lambda currents, depth, rngs: [nnx.Linear(currents, currents, rngs=rngs) for _ in range(depth)]
    )
    foam: nnx.Dropout = module(lambda rngs: nnx.Dropout(0.25, rngs=rngs))
    moon: Float[Array, " currents"] = data(variable="Almanac")
    bleached: Bool[Array, " corals"] = buffer()
    shoals: Int32[Array, " fish"] = buffer()
    """The fish that each fish follows"""
    warmth: Float[Array, " currents"] = state("full(0.4)", variable="Gauge")
    silt: Float[Array, " corals"] = state("zeros", variable="BatchStat")
    tides: Int32[Array, ""] = buffer("zeros", variable="Tally")
    depth: int = static(2, check=lambda depth: depth >= 1)
    salinity: float = static(0.7, check=lambda salinity: salinity > 0)
    zone: Literal["lagoon", "crest", "slope"] = static("lagoon")
    spring: bool = static(False)

    def __call__(self, water: Float[Array, " currents"], *, rising: bool = True) -> Float[Array, " fish"]:
        """One tide: what each fish finds."""
        for terrace in self.terraces:
            water = jnp.tanh(terrace(water)) + 0.5 * water
        swirl = self.foam(water * self.moon, deterministic=not rising)
        food = self.polyps @ (swirl + self.warmth) * self.lime
        if self.algae is not None:
            food = food + jnp.square(self.algae)
        if rising:
            self.warmth = 0.8 * self.warmth + 0.2 * jnp.abs(water)
            self.silt = 0.9 * self.silt + 0.1 * food
            self.tides += 2 if self.spring else 1
        return self.shelves @ self.grown(jnp.where(self.bleached, 0, food) - 0.3 * self.silt)

    def grown(self, food: Float[Array, " corals"]) -> Float[Array, " corals"]:
        """What the corals leave."""
        if self.zone == "crest":
            return self.salinity * jnp.sin(food)
        return food / (1 + jnp.abs(food)) if self.zone == "slope" else food

    def rinsed(self, surge: Float[Array, " corals"]) -> Float[Array, " corals"]:
        """Wash silt away, and say how much there was."""
        before = self.silt
        self.silt = before * jax.nn.sigmoid(-surge)
        return before

    def followed(
        self, paths: Float[Array, "n fish"], *, backwards: bool = False
    ) -> tuple[Float[Array, "n fish"], Int32[Array, " n"]]:
        """The paths of those that lead, and who is furthest."""
        led = paths[:, self.shoals]
        if backwards:
            led = jnp.flip(led, axis=0)
        return led, jnp.argmax(jnp.abs(led), axis=1).astype(jnp.int32)

    def shaded(
        self, light: Float[Array, "n corals"], least: Float[Array, ""] | None = None
    ) -> Int32[Array, " n"]:
        """How many living corals are in the dark at a time."""
        bound = self.salinity if least is None else jnp.abs(least)
        return jnp.sum((light < bound) & ~self.bleached, axis=1, dtype=jnp.int32)

    def warmed(self, days: Float[Array, " n"], *, deep: bool = False) -> Float[Array, "n currents"]:
        """How warm the currents are after some days."""
        rate = 0.5 if deep else self.salinity
        return jnp.exp(-rate * jnp.square(days))[:, None] * self.warmth
