"""A sprinter who is trained."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32

from scaffold.skeleton import (
    Module,
    TrainState,
    buffer,
    call,
    data,
    groups,
    module,
    param,
    state,
    static,
)


@groups(legs=["stride", "push"])
class Sprinter(Module):
    """Times for tracks, centred by what was seen before."""

    stride: Float[Array, "muscles track"] = param("lecun_normal")
    push: Float[Array, " muscles"] = param("zeros", decay=False)
    heart: eqx.nn.Linear = module(lambda muscles, key: eqx.nn.Linear(muscles, muscles, key=key))
    lungs: Float[Array, "muscles muscles"] = param("orthogonal(0.5)", frozen="rested")
    centre: Float[Array, " track"] = state("zeros")
    races: Int32[Array, ""] = state("zeros")
    inference: bool = buffer(False)
    rested: bool = static(False)
    momentum: float = static(0.9, check=lambda momentum: 0 <= momentum < 1)

    def __call__(self, track: Float[Array, " track"], *, uphill: bool = False) -> Float[Array, " muscles"]:
        """One race."""
        seen = self.centre
        if not self.inference:
            self.centre = self.momentum * seen + (1 - self.momentum) * track
            self.races += 1
        force = jnp.tanh(self.stride @ (track - seen) + self.push)
        breath = self.lungs @ force
        if uphill:
            breath = 0.5 * breath
        return self.heart(force) + breath

    def tired(self, pace: Float[Array, " muscles"]) -> Float[Array, " muscles"]:
        """The pace after all races so far."""
        return pace / (1 + 0.1 * self.races)

    def strength(self, load: Float[Array, " muscles"]) -> Float[Array, ""]:
        """How much the legs lift."""
        return jnp.sum(jax.nn.softplus(self.push + load))


class Coach(TrainState, state=True, ema=0.8, key=True):
    """Trains a sprinter, and stops when nothing gets better."""

    model: Sprinter
    best: Float[Array, ""] = data("full(100.0)")
    """The least loss so far"""
    waited: Int32[Array, ""] = buffer("zeros")
    """For how many races nothing got better"""
    target: Float[Array, " track"] = buffer()
    lanes: Bool[Array, " track"] = buffer()
    patience: int = static(3, check=lambda patience: patience > 0)
    warmup: int = static(4)
    strict: bool = static(False)

    @call(carry="self")
    def watched(self, loss: Float[Array, ""]) -> "Coach":
        """With the best loss so far, and how long it has been so."""
        better = loss < (self.best - 0.01 if self.strict else self.best)
        best = jnp.where(better, loss, self.best)
        waited = jnp.where(better, 0, self.waited + 1)
        return eqx.tree_at(lambda one: (one.best, one.waited), self, (best, waited))

    def stopped(self, margin: Int32[Array, ""]) -> Bool[Array, ""]:
        """Whether it is time to stop."""
        return self.waited > self.patience + margin

    def rate(self, peak: Float[Array, ""], *, cosine: bool = False) -> Float[Array, ""]:
        """The rate of the next step: it rises as long as there is warm-up."""
        part = jnp.minimum((self.step + 1) / self.warmup, 1).astype(peak.dtype)
        return peak * (0.5 - 0.5 * jnp.cos(jnp.pi * part) if cosine else part)

    def missed(self, track: Float[Array, " track"], *, squared: bool = True) -> Float[Array, ""]:
        """How far a track is from its target, in the lanes that count."""
        away = track - self.target
        cost = jnp.square(away) if squared else jnp.abs(away)
        return jnp.sum(jnp.where(self.lanes, cost, 0)) / jnp.sum(self.lanes)

    def obstacles(self, height: Float[Array, ""]) -> Float[Array, " track"]:
        """Hurdles that are drawn for a step, where there is a lane."""
        drawn = jax.random.uniform(self.step_key, self.target.shape, self.target.dtype)
        return jnp.where(self.lanes, height * drawn, 0)
