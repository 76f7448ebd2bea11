"""A weighted set of particles for sequential Monte Carlo."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from scaffold.skeleton import Pytree, data, static


class Particles(Pytree):
    """Particles with log-weights, which need not be normalised."""

    positions: Float[Array, "count size"] = data()
    log_weights: Float[Array, " count"] = data()
    evidence: Float[Array, ""] = data("zeros")
    """Log of the evidence of all observations so far"""
    threshold: float = static(0.5, check=lambda threshold: 0 < threshold <= 1)
    """Share of effective particles below which they are drawn anew"""
    systematic: bool = static(True)
    """Whether one uniform number draws all particles"""

    def weights(self) -> Float[Array, " count"]:
        """Normalised weights."""
        return jax.nn.softmax(self.log_weights)

    def effective(self) -> Float[Array, ""]:
        """The effective number of particles."""
        return 1 / jnp.sum(self.weights() ** 2)

    def mean(self) -> Float[Array, " size"]:
        """The weighted mean."""
        return self.weights() @ self.positions

    def covariance(self, *, unbiased: bool = False) -> Float[Array, "size size"]:
        """The weighted covariance; `unbiased` corrects for the effective number."""
        centred = self.positions - self.mean()
        covariance = (self.weights()[:, None] * centred).T @ centred
        if unbiased:
            covariance = covariance / (1 - jnp.sum(self.weights() ** 2))
        return covariance

    def moved(
        self, drift: Float[Array, " size"], spread: Float[Array, ""], *, key: PRNGKeyArray
    ) -> "Particles":
        """All particles after a random step."""
        noise = jax.random.normal(key, self.positions.shape, self.positions.dtype)
        return Particles(
            self.positions + drift + spread * noise,
            self.log_weights,
            self.evidence,
            self.threshold,
            self.systematic,
        )

    def reweighted(self, log_likelihood: Float[Array, " count"]) -> "Particles":
        """The particles after an observation."""
        log_weights = jax.nn.log_softmax(self.log_weights) + log_likelihood
        evidence = self.evidence + jax.nn.logsumexp(log_weights)
        return Particles(self.positions, log_weights, evidence, self.threshold, self.systematic)

    def resampled(self, *, key: PRNGKeyArray) -> "Particles":
        """The particles drawn anew where too few are effective."""
        count = self.log_weights.shape[0]
        needed = self.effective() < self.threshold * count
        cumulative = jnp.cumsum(self.weights())
        shape = () if self.systematic else (count,)
        uniform = jax.random.uniform(key, shape, cumulative.dtype)
        points = (jnp.arange(count, dtype=cumulative.dtype) + uniform) / count
        chosen = jnp.clip(jnp.searchsorted(cumulative, points), 0, count - 1)
        return Particles(
            jnp.where(needed, self.positions[chosen], self.positions),
            jnp.where(needed, jnp.zeros_like(self.log_weights), self.log_weights),
            self.evidence,
            self.threshold,
            self.systematic,
        )
