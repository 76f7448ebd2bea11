"""How long patients live, by what is known of them."""

import dataclasses

import jax
import jax.numpy as jnp
import jax.random as jr
from jaxtyping import Array, Bool, Float, Int32

from scaffold.skeleton import Module, TrainState, buffer, data, param, static, test


@test(sizes={"size": 3, "hidden": 5, "intervals": 4})
class Hazard(Module, save=True):
    """The risk of death in each interval of time, for covariates that may be missing."""

    inner: Float[Array, "hidden size"] = param("he_normal")
    outer: Float[Array, " hidden"] = param("normal(0.3)", std="0.3")
    baseline: Float[Array, " intervals"] = param("full(-1.0)", decay=False)
    """Logarithms of the risk of everybody"""
    trend: Float[Array, " size"] | None = param("zeros", optional="varying")
    """How the effect of a covariate changes with time"""
    mean: Float[Array, " size"] = buffer()
    """What stands for a covariate that is missing"""
    edges: Float[Array, " intervals"] = buffer("=jnp.arange(1, intervals + 1, dtype=dtype)")
    """When intervals end"""
    dropout: float = static(0.2, check=lambda dropout: 0 <= dropout < 1)

    def __call__(
        self, x: Float[Array, " size"], known: Bool[Array, " size"] | None = None, *, relative: bool = False
    ) -> Float[Array, " intervals"]:
        """The risk in each interval, or how it compares with that of everybody."""
        logits = self.score(x, known) + self.change(x)
        logits = logits if relative else self.baseline + logits
        return jnp.exp(jnp.clip(logits, -8, 8))

    def score(self, x: Float[Array, " size"], known: Bool[Array, " size"] | None = None) -> Float[Array, ""]:
        """What is the same in all intervals."""
        x = x if known is None else jnp.where(known, x, self.mean)
        return self.outer @ jax.nn.gelu(self.inner @ (x - self.mean))

    def change(self, x: Float[Array, " size"]) -> Float[Array, " intervals"]:
        """What changes from interval to interval."""
        if self.trend is None:
            return jnp.zeros_like(self.baseline)
        return jnp.log(self.edges) * jnp.sum(self.trend * (x - self.mean))

    def survival(
        self, x: Float[Array, " size"], *, final: bool = False
    ) -> Float[Array, " intervals"] | Float[Array, ""]:
        """How likely somebody outlives each interval, or all of them."""
        alive = jnp.exp(-jnp.cumsum(self(x) * self.widths))
        return alive[-1] if final else alive

    @property
    def widths(self) -> Float[Array, " intervals"]:
        """How long intervals are."""
        return jnp.diff(self.edges, prepend=jnp.zeros_like(self.edges[:1]))


@test(sizes={"size": 3, "intervals": 4, "people": 7})
class Trial(TrainState, ema=0.95, key=True, save=True):
    """Fits risks to a clinical trial."""

    model: Hazard
    at_risk: Float[Array, " intervals"] = data("zeros")
    """How many were alive in each interval"""
    deaths: Int32[Array, ""] = data("zeros")
    ridge: float = static(0.01, check=lambda ridge: ridge >= 0)

    def loss(
        self,
        xs: Float[Array, "people size"],
        when: Int32[Array, " people"],
        dead: Bool[Array, " people"],
        *,
        noisy: bool = True,
    ) -> Float[Array, ""]:
        """How unlikely it is when people died, or were last seen alive."""
        count = self.model.baseline.shape[0]
        when = jnp.clip(when, 0, count - 1)
        if noisy:
            kept = jr.bernoulli(self.step_key, 1 - self.model.dropout, xs.shape)
            xs = jnp.where(kept, xs, self.model.mean)
        risks = jax.vmap(self.model)(xs)
        lived = jnp.arange(count) <= when[:, None]
        survived = -jnp.sum(jnp.where(lived, risks * self.model.widths, 0), axis=1)
        died = jnp.take_along_axis(jnp.log(risks), when[:, None], axis=1)[:, 0]
        penalty = self.ridge * jnp.sum(self.model.inner**2)
        return penalty - jnp.mean(survived + jnp.where(dead, died, 0))

    def counted(self, when: Int32[Array, " people"], dead: Bool[Array, " people"]) -> "Trial":
        """The state that has counted people: those at risk in each interval, and deaths."""
        count = self.at_risk.shape[0]
        lived = jnp.arange(count) <= jnp.clip(when, 0, count - 1)[:, None]
        return dataclasses.replace(
            self,
            at_risk=self.at_risk + jnp.sum(lived, axis=0).astype(self.at_risk.dtype),
            deaths=self.deaths + jnp.sum(dead).astype(jnp.int32),
        )

    def resampled(
        self, xs: Float[Array, "people size"], *, replace: bool = True
    ) -> Float[Array, "people size"]:
        """People drawn from those in the trial, as for a bootstrap, each time others."""
        draw = jr.fold_in(self.step_key, 1)
        return xs[jr.choice(draw, xs.shape[0], (xs.shape[0],), replace=replace)]

    def smoothed(self, x: Float[Array, " size"], *, own: bool = False) -> Float[Array, " intervals"]:
        """The risks by the average of the weights, or by the mean of that and the weights."""
        risks = self.averaged()(x)
        return 0.5 * (risks + self.model(x)) if own else risks
