"""A pipe organ with its ranks."""

import dataclasses
from collections.abc import Callable
from typing import Literal

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32

from scaffold.skeleton import Pytree, buffer, data, groups, param, static, test


@test(
    sizes={"ranks": 3, "pipes": 5},
    values={"couplers": [2, 0, 1], "feet": (8, 4, 2)},
    rejected=[{"tremulant": 1.0}, {"feet": ()}],
)
@groups(voicing={"fields": ["loudness", "mouths"], "readable": True})
class Organ(Pytree, layout="nested", save=True):
    """Ranks of pipes that speak where their stop is drawn."""

    loudness: Float[Array, " ranks"] = param("full(0.8)")
    mouths: Float[Array, "ranks pipes"] = param("lecun_normal")
    """How far the mouth of each pipe is cut up"""
    swell: Float[Array, " pipes"] | None = param("normal(0.4)", optional="enclosed")
    wind: Float[Array, " ranks"] = data()
    temperament: Float[Array, " pipes"] = buffer()
    drawn: Bool[Array, " ranks"] = buffer()
    couplers: Int32[Array, " ranks"] = buffer()
    """The rank that each rank plays, too"""
    feet: tuple[int, ...] = static((8, 4), check=lambda feet: len(feet) > 0)
    tremulant: float = static(0.25, check=lambda tremulant: 0 <= tremulant < 1)
    action: Literal["tracker", "pneumatic", "electric"] = static("tracker")
    chamber: Callable = static(jnp.tanh)

    def __call__(self, keys: Float[Array, " pipes"], *, coupled: bool = False) -> Float[Array, " ranks"]:
        """How loud each rank speaks."""
        tone = self.mouths @ (keys + self.temperament)
        if self.swell is not None:
            tone = tone * jnp.mean(self.swell)
        if coupled:
            tone = tone + tone[self.couplers]
        tone = self.chamber(tone) * self.loudness + 0.5 * self.wind
        if self.action == "pneumatic":
            tone = jnp.roll(tone, 1)
        elif self.action == "electric":
            tone = jnp.cumsum(tone)
        return jnp.where(self.drawn, tone, 0)

    def trembled(
        self, notes: Float[Array, "beats ranks"], rate: Float[Array, ""] | None = None
    ) -> Float[Array, "beats ranks"]:
        """The same notes with a wind that shakes."""
        when = jnp.arange(len(notes), dtype=notes.dtype)
        angle = when if rate is None else rate * when
        return notes * (1 + self.tremulant * jnp.sin(angle))[:, None]

    def compass(self, pipe: Int32[Array, ""]) -> Float[Array, " feet_count"]:
        """The pitch of one pipe at each length in feet."""
        lengths = jnp.array(self.feet, self.temperament.dtype)
        return 8 / lengths * jnp.exp2(self.temperament[pipe])

    def chorus(
        self, score: Float[Array, "beats pipes"], *, tutti: bool = False
    ) -> tuple[Float[Array, " ranks"], Float[Array, " beats"]]:
        """The wind that is left in each rank, and how loud each beat is."""
        stops = jnp.ones_like(self.drawn) if tutti else self.drawn

        def beat(left: jax.Array, keys: jax.Array) -> tuple[jax.Array, jax.Array]:
            loud = jnp.where(stops, left * (self.mouths @ keys), 0)
            return 0.9 * left, jnp.sum(loud)

        return jax.lax.scan(beat, self.wind, score)

    def open_stops(self) -> Int32[Array, ""]:
        """How many stops are drawn."""
        return jnp.sum(self.drawn, dtype=jnp.int32)

    def tuned(self, cents: Float[Array, " pipes"], most: float = 1.5) -> "Organ":
        """The same organ in another temperament."""
        return dataclasses.replace(self, temperament=jnp.clip(self.temperament + cents, -most, most))
