"""A violin, and the lessons in which it is learnt."""

from typing import Literal

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, TrainState, buffer, data, groups, param, shared, static, test


@test(rejected=[{"stiffness": -0.1}], unused=["echo"])
@groups(wood=["plate", "varnish"])
class Violin(Module):
    """Strings over a body of wood."""

    plate: Float[Array, "modes strings"] = param("glorot_normal")
    varnish: Float[Array, " modes"] = param("full(0.25)", decay=False)
    bridge: Float[Array, "strings strings"] = param("orthogonal", frozen="set_up")
    echo: Float[Array, "strings modes"] = shared("plate.T")
    """The plate, by which the strings hear the body"""
    rosin: Float[Array, " strings"] | None = param("uniform(0.6)", optional="rosined", decay=False)
    muted: Bool[Array, " strings"] = buffer()
    fingers: Int32[Array, " strings"] = buffer("zeros")
    stiffness: float = static(0.3, check=lambda stiffness: stiffness >= 0)
    bowing: Literal["detache", "spiccato", "tremolo"] = static("detache")
    set_up: bool = static(True)

    def __call__(self, bow: Float[Array, " strings"], *, vibrato: bool = False) -> Float[Array, " modes"]:
        """How the body sounds."""
        pull = self.bridge @ jnp.where(self.muted, 0.3 * bow, bow)
        if self.rosin is not None:
            pull = pull * (1 + self.rosin)
        if self.bowing == "spiccato":
            pull = jnp.tanh(pull)
        elif self.bowing == "tremolo":
            pull = jnp.sin(2 * pull)
        tone = self.plate @ pull - self.varnish
        return tone * (1 + self.stiffness * jnp.cos(tone)) if vibrato else tone

    def sympathetic(
        self, bow: Float[Array, " strings"], *, open_strings: bool = False
    ) -> Float[Array, " strings"]:
        """How the strings move with the body."""
        moved = self.echo @ self(bow)
        return moved if open_strings else jnp.where(self.muted, 0, moved)

    def improvised(
        self, phrases: Float[Array, "n strings"], *, key: PRNGKeyArray, shuffled: bool = False
    ) -> Float[Array, "n strings"]:
        """Phrases with ornaments."""
        trill, order = jax.random.split(key)
        ornament = jax.random.uniform(trill, phrases.shape, phrases.dtype, -1, 1)
        played = phrases + self.stiffness * ornament
        return jax.random.permutation(order, played) if shuffled else played

    def fingered(self, shifts: Int32[Array, "n strings"], *, most: int = 4) -> Int32[Array, "n strings"]:
        """Where the fingers are after each shift."""
        return jnp.clip(self.fingers + jnp.cumsum(shifts, axis=0), 0, most).astype(jnp.int32)


@test(rejected=[{"patience": -0.5}])
class Lesson(TrainState, ema=0.9, key=True, save=True):
    """A violin, what it was played on, and how often."""

    model: Violin
    taste: Float[Array, " pieces"] = data("full(0.5)")
    played: Int32[Array, " pieces"] = buffer("zeros")
    patience: float = static(0.7, check=lambda patience: patience >= 0)

    def praised(self, marks: Float[Array, "n pieces"], *, strict: bool = False) -> Float[Array, " pieces"]:
        """What the teacher thinks of each piece."""
        liked = marks + self.taste
        return jnp.min(liked, axis=0) if strict else self.patience * jnp.mean(liked, axis=0)

    def practised(self, pieces: Int32[Array, " m"]) -> Int32[Array, " pieces"]:
        """How often each piece has been played, with these."""
        return self.played.at[pieces].add(1)
