"""Singers who are tuned to each other."""

from typing import Literal

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, buffer, call, data, groups, param, static, test


@groups(throat=["formant", "breath"])
@test(rejected=[{"tempo": 0.0}])
class Choir(Module, save=True):
    """Voices that sing notes in a hall."""

    timbre: Float[Array, "voices partials"] = param("normal(0.4)")
    formant: Float[Array, " partials"] = param("uniform(0.8)")
    breath: Float[Array, " voices"] | None = param("full(0.15)", optional="use_breath", decay=False)
    """How much air is heard"""
    place: Float[Array, "voices 2"] = data()
    """Where each voice stands"""
    section: Int32[Array, " voices"] = buffer()
    echo: Float[Array, " partials"] = buffer()
    """What the hall gives back"""
    concerts: Int32[Array, ""] = buffer("zeros")
    tempo: float = static(1.5, check=lambda tempo: tempo > 0)
    tuning: Literal["equal", "just", "mean"] = static("just")
    outdoors: bool = static(False)
    sections: int = static(3)

    def __call__(self, notes: Float[Array, " voices"], *, hummed: bool = False) -> Float[Array, " partials"]:
        """The spectrum of a chord."""
        pitch = self.tuned(notes)
        if self.breath is not None and not hummed:
            pitch = pitch + self.breath * jnp.tanh(notes)
        sound = self.loudness() * pitch @ self.timbre + self.formant
        if hummed:
            sound = 0.5 * sound
        return sound if self.outdoors else sound * (1 + self.echo)

    def tuned(self, notes: Float[Array, " voices"]) -> Float[Array, " voices"]:
        """Notes as the tuning has them."""
        if self.tuning == "equal":
            return notes
        bend = 0.1 if self.tuning == "just" else 0.2
        return notes + bend * jnp.sin(self.tempo * notes)

    def loudness(self) -> Float[Array, " voices"]:
        """How loud each voice is where the conductor stands."""
        return 1 / (1 + jnp.sum(jnp.square(self.place), axis=-1))

    def tired(
        self, notes: Float[Array, " voices"], *, rate: float = 0.2, key: PRNGKeyArray
    ) -> tuple[Float[Array, " voices"], Bool[Array, " voices"]]:
        """Notes that go astray, and which voices rest."""
        first, second = jax.random.split(key)
        resting = jax.random.bernoulli(first, rate, notes.shape)
        astray = notes + 0.1 * jax.random.normal(second, notes.shape, notes.dtype)
        return jnp.where(resting, 0, astray), resting

    def by_section(self, levels: Float[Array, " voices"], *, mean: bool = False) -> Float[Array, " sections"]:
        """Levels of each section."""
        total = jax.ops.segment_sum(levels, self.section, self.sections)
        if not mean:
            return total
        count = jax.ops.segment_sum(jnp.ones_like(levels), self.section, self.sections)
        return total / jnp.maximum(count, 1)

    def loudest(self, levels: Float[Array, "n voices"]) -> Int32[Array, " n"]:
        """The voice that is heard most, at each time."""
        return jnp.argmax(levels * self.loudness(), axis=1).astype(jnp.int32)

    @call(carry="self")
    def performed(self, drift: Float[Array, "voices 2"]) -> "Choir":
        """After a concert, in which voices moved."""
        place = self.place + 0.25 * drift
        return eqx.tree_at(lambda one: (one.place, one.concerts), self, (place, self.concerts + 1))
