"""A rower who learns over a season."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, TrainState, buffer, call, data, module, param, state, static


class Rower(Module):
    """Pulls as the water asks for."""

    technique: Float[Array, "muscles water"] = param("normal(0.3)")
    rigging: eqx.nn.Linear = module(lambda muscles, key: eqx.nn.Linear(muscles, muscles, key=key))
    strength: Float[Array, " muscles"] = param("full(0.6)", decay=False)
    injured: Bool[Array, " muscles"] = buffer("zeros")
    fatigue: Float[Array, " muscles"] = state("zeros")
    strokes: Int32[Array, ""] = state("zeros")
    inference: bool = buffer(False)
    sculling: bool = static(True)
    recovery: float = static(0.3, check=lambda recovery: 0 < recovery <= 1)

    def __call__(
        self, water: Float[Array, " water"], *, sprint: bool = False, key: PRNGKeyArray | None = None
    ) -> Float[Array, " muscles"]:
        """One stroke: how hard each muscle pulls."""
        aimed = jnp.tanh(self.technique @ water)
        if key is not None and not self.inference:
            aimed = aimed + 0.1 * jax.random.normal(key, aimed.shape, aimed.dtype)
        pull = self.strength * self.rigging(aimed) / (1 + self.fatigue)
        pull = jnp.where(self.injured, 0.1 * pull, pull)
        if sprint:
            pull = 1.5 * pull
        if not self.inference:
            self.fatigue = (1 - self.recovery) * self.fatigue + 0.1 * jnp.square(pull)
            self.strokes += 1
        return pull if self.sculling else 0.8 * pull

    def rested(self, hours: Float[Array, ""], *, slept: bool = False) -> Float[Array, " muscles"]:
        """Rest: how tired each muscle still is."""
        left = self.fatigue * jax.nn.sigmoid(-hours)
        self.fatigue = 0.5 * left if slept else left
        return self.fatigue

    def worn(self, *, limit: float = 0.02) -> Int32[Array, ""]:
        """How many muscles are tired."""
        return jnp.sum(self.fatigue > limit, dtype=jnp.int32)


class Season(TrainState, ema=0.9, key=True, state=True):
    """Races, with a rower who gets better."""

    model: Rower
    current: Float[Array, " water"] = data()
    """How the river flows"""
    course: Int32[Array, " races"] = buffer()
    budget: Float[Array, ""] = data("full(8.0)")
    won: Int32[Array, ""] = buffer("zeros")
    cold: bool = static(False)
    entry: float = static(0.5, check=lambda entry: entry > 0)

    def water(self, wind: Float[Array, " water"], *, calm: bool = False) -> Float[Array, " water"]:
        """The water of the next race, which is drawn."""
        drawn = jax.random.normal(self.step_key, wind.shape, wind.dtype)
        waves = self.current + (0.1 if calm else 1.0) * drawn
        return waves + (2.0 if self.cold else 1.0) * wind

    @call(carry="self")
    def raced(self, place: Int32[Array, ""], prize: Float[Array, ""]) -> "Season":
        """After a race, for which an entry was paid."""
        first = place == 0
        won = self.won + first
        budget = self.budget - self.entry + jnp.where(first, prize, 0)
        return eqx.tree_at(lambda one: (one.won, one.budget), self, (won, budget))

    def lengths(self, speed: Float[Array, " races"]) -> Float[Array, " races"]:
        """How long each race takes."""
        return self.course / (0.1 + jnp.square(speed))
