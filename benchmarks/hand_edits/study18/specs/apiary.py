"""A beehive, whose bees tell each other of flowers."""

from typing import Literal, Self

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, buffer, data, derived, groups, module, param, shared, static, test


@test(
    positive=["nectar"],
    rejected=[{"chill": 0.0}, {"swarm": 0}],
    unused=["pollen"],
)
@groups(wax=["comb", "propolis"], brood=["raw_vigour"])
class Apiary(Module, constructor="init", save=True, migrate=True):
    """Cells of wax, and the bees that fill them."""

    comb: Float[Array, "cells flowers"] = param("he_uniform")
    pollen: Float[Array, "flowers cells"] = shared("comb.T")
    """What the bees carry back to the flowers"""
    raw_vigour: Float[Array, " cells"] = param("full(0.4)", decay=False)
    vigour: Float[Array, " cells"] = derived(lambda self: jax.nn.softplus(self.raw_vigour))
    propolis: Float[Array, " cells"] | None = param("truncated_normal(0.3)", optional="sealed", decay=False)
    royal: eqx.nn.Linear = module(
        lambda cells, dtype, key: eqx.nn.Linear(cells, cells, use_bias=False, dtype=dtype, key=key),
        frozen="crowned",
    )
    """How the queen calms a hive"""
    nectar: Float[Array, " flowers"] = data()
    smoked: Bool[Array, " cells"] = buffer()
    routes: Int32[Array, "bees 2"] = buffer()
    """The first and the last flower of each bee"""
    chill: float = static(1.5, check=lambda chill: chill > 0)
    swarm: int = static(3, check=lambda swarm: 1 <= swarm <= 12)
    season: Literal["spring", "summer", "frost"] = static("spring")
    crowned: bool = static(False)

    def __call__(self, bloom: Float[Array, " flowers"], *, dark: bool = False) -> Float[Array, " cells"]:
        """What each cell holds after a day."""
        filled = self.comb @ (bloom * self.nectar)
        filled = jnp.where(self.smoked, 0.25 * filled, filled) * self.vigour
        if self.propolis is not None:
            filled = filled + self.propolis * jnp.tanh(filled)
        if self.season == "frost":
            filled = filled / (self.chill + jnp.abs(filled))
        elif self.season == "summer":
            filled = filled + jnp.roll(filled, self.swarm)
        return self.royal(filled) if dark else filled - self.royal(filled)

    def waggled(self, angles: Float[Array, " n"], *, loud: bool = False) -> Float[Array, "n flowers"]:
        """How strongly a dance at each angle points to each flower."""
        count = len(self.nectar)
        turns = 2 * jnp.pi * jnp.arange(count, dtype=angles.dtype) / count
        pull = jnp.cos(angles[:, None] - turns)
        return jax.nn.softmax(self.swarm * pull, axis=1) if loud else pull

    def travelled(
        self, meadow: Float[Array, "n flowers"]
    ) -> tuple[Float[Array, "n bees"], Int32[Array, " bees"]]:
        """What each bee gains on its way, and when it gains most."""
        gain = meadow[:, self.routes[:, 1]] - 0.5 * meadow[:, self.routes[:, 0]]
        return gain, jnp.argmax(gain, axis=0).astype(jnp.int32)

    def returned(
        self, honey: Float[Array, " cells"], tithe: Float[Array, ""] | None = None
    ) -> Float[Array, " flowers"]:
        """What the flowers get of the honey."""
        back = self.pollen @ jnp.where(self.smoked, 0, honey)
        return back if tithe is None else back * jax.nn.sigmoid(tithe)

    def foraged(
        self, trips: Float[Array, "n flowers"], *, key: PRNGKeyArray, lazy: bool = False
    ) -> Float[Array, "n flowers"]:
        """The trips with what the weather does to them."""
        rain, wind = jax.random.split(key)
        dry = jax.random.bernoulli(rain, 0.7, (len(trips), 1))
        drift = jax.random.laplace(wind, trips.shape, trips.dtype)
        return jnp.where(dry, trips + 0.2 * drift * self.nectar, 0.5 * trips if lazy else 0)

    def sorted_cells(self, weights: Float[Array, "n cells"], *, most: int = 2) -> Int32[Array, "n most"]:
        """The fullest cells of each weighing, the fullest first."""
        return jnp.argsort(-weights, axis=1)[:, :most].astype(jnp.int32)

    @classmethod
    def wild(cls, cells: int, flowers: int, *, key: jax.Array) -> Self:
        """A hive that nobody keeps."""
        return cls(
            jnp.full(flowers, 1.5),
            jnp.zeros(cells, bool),
            jnp.zeros((1, 2), jnp.int32),
            sealed=False,
            crowned=True,
            key=key,
        )
