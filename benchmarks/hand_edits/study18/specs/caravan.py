"""A caravan that crosses a desert."""

from collections.abc import Callable
from typing import Literal

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Pytree, buffer, call, data, groups, param, static, test


@test(
    sizes={"camels": 5, "goods": 3},
    values={"chain": [2, 0, 1, 4, 3], "stops": (3, 5)},
    rejected=[{"thirst": 0.0}, {"stops": (3,)}],
)
@groups(load=["saddle", "worth"], guides=["stars"])
class Caravan(Pytree, rebuild="flag", save=True):
    """Camels in a chain, and what they carry."""

    saddle: Float[Array, "camels goods"] = param("glorot_normal")
    worth: Float[Array, " goods"] = param("full(0.9)")
    stars: Float[Array, "goods goods"] = param("orthogonal")
    """By which the guides find the way"""
    charms: Float[Array, " camels"] | None = param("uniform(0.25)", optional="charmed")
    strength: Float[Array, " camels"] = data()
    sand: Float[Array, " goods"] = buffer()
    """What the wind puts into the goods"""
    lame: Bool[Array, " camels"] = buffer()
    chain: Int32[Array, " camels"] = buffer()
    """The camel behind which each camel goes"""
    days: Int32[Array, ""] = buffer("zeros")
    stops: tuple[int, ...] = static((4, 2), check=lambda stops: len(stops) == 2)
    thirst: float = static(0.4, check=lambda thirst: 0 < thirst <= 1)
    road: Literal["dunes", "salt", "wadi"] = static("dunes")
    song: Callable = static(jnp.sin)

    def __call__(self, bales: Float[Array, " goods"], *, resting: bool = False) -> Float[Array, " camels"]:
        """How each camel bears a day."""
        packed = self.stars @ (bales * self.worth) - self.sand
        borne = self.saddle @ packed
        if self.charms is not None:
            borne = borne + self.charms
        if self.road == "salt":
            borne = self.song(borne) - self.thirst
        elif self.road == "wadi":
            borne = borne + borne[self.chain]
        return jnp.where(self.lame, 0.5 * borne, borne) / (2 if resting else 1) - self.thirst * self.strength

    def crossed(
        self, winds: Float[Array, "n camels"], *, slow: bool = False
    ) -> tuple[Float[Array, " camels"], Float[Array, "n camels"]]:
        """How tired the camels are at the end, and on each day."""
        share = 0.3 if slow else self.thirst

        def day(tired: jax.Array, wind: jax.Array) -> tuple[jax.Array, jax.Array]:
            tired = (1 - share) * tired[self.chain] + share * self.song(wind)
            return tired, tired

        return jax.lax.scan(day, self.strength, winds)

    @call(carry="self")
    def rested(self, water: Float[Array, " camels"]) -> tuple["Caravan", Float[Array, " camels"]]:
        """The caravan on the next day, and how strong it was."""
        stronger = self.strength + self.thirst * jnp.tanh(water)
        later = eqx.tree_at(lambda one: (one.strength, one.days), self, (stronger, self.days + 1))
        return later, self.strength

    def camped(self) -> Float[Array, "first second"]:
        """How warm the tents are, which stand in rows."""
        rows, columns = self.stops
        across = jnp.linspace(0, 1, columns, dtype=self.sand.dtype)
        return jnp.cos(jnp.arange(rows, dtype=self.sand.dtype))[:, None] + across * jnp.mean(self.sand)

    def bartered(
        self, offers: Float[Array, "n goods"], *, key: PRNGKeyArray, greedy: bool = False
    ) -> Float[Array, " n"]:
        """What is paid for each offer."""
        mood, luck = jax.random.split(key)
        asked = offers @ (self.worth + self.sand)
        price = asked * jax.random.uniform(mood, asked.shape, asked.dtype, 0.5, 1.5)
        return price if greedy else price + 0.1 * jax.random.gumbel(luck, asked.shape, asked.dtype)

    def stumbled(
        self, stones: Float[Array, "n camels"], limit: Float[Array, ""] | None = None
    ) -> Int32[Array, " n"]:
        """How many camels stumble that are not lame."""
        bound = jnp.abs(self.strength) if limit is None else jnp.abs(limit)
        return jnp.sum((stones > bound) & ~self.lame, axis=1, dtype=jnp.int32)
