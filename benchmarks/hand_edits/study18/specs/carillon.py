"""A carillon whose bells ring on and whose ropes wear."""

from typing import Literal

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, buffer, call, data, groups, module, param, state, static, test


class Clapper(Module):
    """What strikes a bell."""

    swing: Float[Array, "bells keys"] = param("glorot_normal")
    felt: Float[Array, " bells"] = param("full(0.2)", decay=False)

    def __call__(self, pressed: Float[Array, " keys"], *, padded: bool = False) -> Float[Array, " bells"]:
        """How hard each bell is struck."""
        struck = self.swing @ pressed
        return struck * (1 - self.felt) if padded else struck - self.felt


@test(rejected=[{"fade": 1.0}, {"pull": 0}])
@groups(bronze=["timbre", "rim"])
class Carillon(Module, save=True):
    """Bells in a tower."""

    clapper: Clapper = module(lambda bells, keys, dtype, key: Clapper.create(bells, keys, dtype, key=key))
    timbre: Float[Array, "partials bells"] = param("lecun_normal")
    rim: Float[Array, " bells"] = param("full(0.7)", decay=False)
    moss: Float[Array, " bells"] | None = param("normal(0.2)", optional="mossy", decay=False)
    weight: Float[Array, " bells"] = data()
    hung: Bool[Array, " bells"] = buffer()
    chimes: Int32[Array, " hours"] = buffer()
    """The bell that strikes each hour"""
    ringing: Float[Array, " bells"] = state("zeros")
    level: Float[Array, " bells"] = state("full(0.3)")
    worn: Int32[Array, " bells"] = state("zeros")
    strokes: Int32[Array, ""] = state("zeros")
    inference: bool = buffer(False)
    fade: float = static(0.6, check=lambda fade: 0 <= fade < 1)
    pull: int = static(2, check=lambda pull: pull >= 1)
    weather: Literal["still", "windy", "foggy"] = static("still")

    @call(axis_name="batch")
    def __call__(self, pressed: Float[Array, " keys"], *, soft: bool = False) -> Float[Array, " partials"]:
        """One stroke: what is heard below the tower."""
        blow = self.clapper(pressed, padded=soft)
        blow = jnp.where(self.hung, blow, 0) / (1 + jnp.square(self.weight))
        if self.moss is not None:
            blow = blow * jnp.exp(-jnp.abs(self.moss))
        sounding = blow + self.fade * self.ringing - 0.5 * self.level
        if not self.inference:
            self.ringing = self.fade * self.ringing + jax.lax.pmean(blow, "batch")
            self.level = 0.9 * self.level + 0.1 * jnp.sqrt(0.1 + jax.lax.pmean(jnp.square(blow), "batch"))
            self.strokes += self.pull
        heard = self.timbre @ (sounding * self.rim)
        if self.weather == "windy":
            return jnp.roll(heard, 1)
        return jnp.tanh(heard) if self.weather == "foggy" else heard

    def damped(self, touch: Float[Array, " bells"]) -> Float[Array, " bells"]:
        """Lay a hand on the bells, and say how much they still ring."""
        self.ringing = self.ringing * jnp.exp(-jnp.abs(touch))
        return self.ringing

    def tolled(self, hours: Int32[Array, " n"], *, twice: bool = False) -> Int32[Array, " bells"]:
        """Strike the hours, and say how often each rope was pulled."""
        struck = self.chimes[hours % len(self.chimes)]
        self.worn = self.worn.at[struck].add(self.pull * (2 if twice else 1))
        return self.worn

    def echoes(
        self, steps: Float[Array, " n"], *, from_below: bool = False
    ) -> tuple[Float[Array, "n bells"], Int32[Array, ""]]:
        """How the bells ring on, and how many strokes there were."""
        left = self.fade ** jnp.abs(steps)[:, None] * self.ringing
        return (left * self.rim if from_below else left), self.strokes

    def mistuned(self, tones: Float[Array, "n bells"], *, key: PRNGKeyArray) -> Float[Array, "n bells"]:
        """Tones as they are on a hot day."""
        heat, frost = jax.random.split(key)
        bent = tones + 0.05 * jax.random.normal(heat, tones.shape, tones.dtype)
        return bent * jax.random.uniform(frost, (len(tones), 1), tones.dtype, 0.9, 1.1)

    def audible(
        self, tones: Float[Array, "n bells"], floor: Float[Array, ""] | None = None
    ) -> Int32[Array, " n"]:
        """How many bells are heard at a time."""
        least = self.weight if floor is None else jax.nn.softplus(floor)
        return jnp.sum((tones > least) & self.hung, axis=1, dtype=jnp.int32)
