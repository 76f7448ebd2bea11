"""Regression by a Gaussian process, as geostatistics has it."""

from typing import Literal

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from scaffold.skeleton import Module, buffer, groups, param, static, test


@groups(kernel=["log_length", "log_amplitude"])
@test(sizes={"n": 5, "size": 3, "m": 2}, tolerance=2e-4)
class Kriging(Module):
    """Interpolates what was measured at some sites."""

    log_length: Float[Array, " size"] = param("zeros")
    log_amplitude: Float[Array, ""] = param("zeros")
    log_noise: Float[Array, ""] = param("full(-2.0)", decay=False)
    drift: Float[Array, " size"] | None = param("normal(0.1)", optional="drifting")
    """How the mean changes with the place"""
    sites: Float[Array, "n size"] = buffer()
    values: Float[Array, " n"] = buffer()
    """What was measured at the sites"""
    kernel: Literal["gauss", "matern"] = static("gauss")
    jitter: float = static(1e-4, check=lambda jitter: jitter > 0)
    """What is added to each variance, so that matrices have a Cholesky factor"""

    def __call__(self, x: Float[Array, "m size"]) -> tuple[Float[Array, " m"], Float[Array, " m"]]:
        """Mean and variance of the field at other places."""
        factor = self.factor()
        across = self.covariance(self.sites, x)
        weights = jax.scipy.linalg.cho_solve((factor, True), self.values - self.trend(self.sites))
        half = jax.scipy.linalg.solve_triangular(factor, across, lower=True)
        prior = jnp.exp(2 * self.log_amplitude)
        return self.trend(x) + across.T @ weights, prior - jnp.sum(half**2, axis=0)

    def covariance(self, a: Float[Array, "p size"], b: Float[Array, "q size"]) -> Float[Array, "p q"]:
        """How the field at some places goes with that at others."""
        apart = (a[:, None] - b[None]) * jnp.exp(-self.log_length)
        square = jnp.sum(apart**2, axis=-1)
        if self.kernel == "matern":
            distance = jnp.sqrt(3 * square + 1e-6)
            return jnp.exp(2 * self.log_amplitude) * (1 + distance) * jnp.exp(-distance)
        return jnp.exp(2 * self.log_amplitude - 0.5 * square)

    def trend(self, x: Float[Array, "m size"]) -> Float[Array, " m"]:
        """The mean of the field before anything was measured."""
        return jnp.zeros_like(x[:, 0]) if self.drift is None else x @ self.drift

    def factor(self) -> Float[Array, "n n"]:
        """The Cholesky factor of the covariance of the measurements."""
        noise = jnp.exp(2 * self.log_noise) + self.jitter
        covariance = self.covariance(self.sites, self.sites)
        return jnp.linalg.cholesky(covariance + noise * jnp.eye(self.sites.shape[0], dtype=covariance.dtype))

    def log_likelihood(self, *, per_site: bool = False) -> Float[Array, ""]:
        """How likely the measurements are, or the mean of it over the sites."""
        factor = self.factor()
        white = jax.scipy.linalg.solve_triangular(factor, self.values - self.trend(self.sites), lower=True)
        n = self.values.shape[0]
        total = -0.5 * jnp.sum(white**2) - jnp.sum(jnp.log(jnp.diag(factor))) - 0.5 * n * jnp.log(2 * jnp.pi)
        return total / n if per_site else total

    def left_out(self, *, frozen: bool = False) -> Float[Array, " n"]:
        """How far each measurement is from what the others say; `frozen` leaves the kernel alone."""
        factor = self.factor()
        if frozen:
            factor = jax.lax.stop_gradient(factor)
        precision = jax.scipy.linalg.cho_solve((factor, True), jnp.eye(factor.shape[0], dtype=factor.dtype))
        return (precision @ (self.values - self.trend(self.sites))) / jnp.diag(precision)

    def sample(
        self, x: Float[Array, "m size"], *, count: int = 2, key: PRNGKeyArray
    ) -> Float[Array, "count m"]:
        """Fields that are drawn at some places before anything was measured, each with noise of its own."""
        smooth_key, noise_key = jax.random.split(key)
        covariance = self.covariance(x, x) + self.jitter * jnp.eye(x.shape[0], dtype=x.dtype)
        smooth = (
            jax.random.normal(smooth_key, (count, x.shape[0]), x.dtype) @ jnp.linalg.cholesky(covariance).T
        )
        noise = jax.random.normal(noise_key, (count, x.shape[0]), x.dtype)
        return self.trend(x) + smooth + jnp.exp(self.log_noise) * noise

    def extended(self, site: Float[Array, " size"], value: Float[Array, ""]) -> "Kriging":
        """The same field after one more measurement."""
        return Kriging(
            self.log_length,
            self.log_amplitude,
            self.log_noise,
            self.drift,
            jnp.concatenate([self.sites, site[None]]),
            jnp.concatenate([self.values, value[None]]),
            self.kernel,
            self.jitter,
        )
