"""Mixture of axis-aligned Gaussians, for density fits of a few thousand points."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray


class DiagonalGaussianMixture(eqx.Module):
    logits: Float[Array, " k"]
    loc: Float[Array, "k dim"]
    log_scale: Float[Array, "k dim"]
    min_scale: float = eqx.field(static=True, default=1e-3)

    def __check_init__(self):
        if self.loc.shape != self.log_scale.shape or self.logits.shape != self.loc.shape[:1]:
            raise ValueError("logits must be (k,), loc and log_scale (k, dim)")

    @classmethod
    def standard(cls, k: int, dim: int, *, spread: float = 1.0, key: PRNGKeyArray):
        """Equal weights, unit scales, random centres."""
        loc = spread * jax.random.normal(key, (k, dim))
        return cls(jnp.zeros(k), loc, jnp.zeros((k, dim)))

    @classmethod
    def from_samples(cls, x: Float[Array, "n dim"], k: int, *, min_scale: float = 1e-3, key: PRNGKeyArray):
        """Centres are k distinct rows of the data, scales those of the whole data."""
        rows = jax.random.choice(key, x.shape[0], (k,), replace=False)
        scale = jnp.maximum(jnp.std(x, axis=0), min_scale)
        log_scale = jnp.broadcast_to(jnp.log(scale), (k, x.shape[1]))
        return cls(jnp.zeros(k), x[rows], log_scale, min_scale)

    @property
    def scale(self) -> Float[Array, "k dim"]:
        return jnp.maximum(jnp.exp(self.log_scale), self.min_scale)

    def component_log_prob(self, x: Float[Array, " dim"]) -> Float[Array, " k"]:
        """log of weight times density, for each component."""
        each = jax.scipy.stats.norm.logpdf(x, self.loc, self.scale)
        return jax.nn.log_softmax(self.logits) + jnp.sum(each, axis=-1)

    def log_prob(self, x: Float[Array, " dim"]) -> Float[Array, ""]:
        return jax.nn.logsumexp(self.component_log_prob(x))

    def responsibilities(self, x: Float[Array, "n dim"]) -> Float[Array, "n k"]:
        return jax.nn.softmax(jax.vmap(self.component_log_prob)(x), axis=-1)

    def em_step(self, x: Float[Array, "n dim"]) -> "DiagonalGaussianMixture":
        """One expectation-maximisation step; returns the new mixture."""
        resp = self.responsibilities(x)
        total = jnp.sum(resp, axis=0) + 1e-8
        loc = (resp.T @ x) / total[:, None]
        second = (resp.T @ x**2) / total[:, None]
        var = jnp.maximum(second - loc**2, self.min_scale**2)
        new = (jnp.log(total), loc, 0.5 * jnp.log(var))
        return eqx.tree_at(lambda m: (m.logits, m.loc, m.log_scale), self, new)

    def sample(self, key: PRNGKeyArray, n: int) -> Float[Array, "n dim"]:
        which_key, noise_key = jax.random.split(key)
        which = jax.random.categorical(which_key, self.logits, shape=(n,))
        noise = jax.random.normal(noise_key, (n, self.loc.shape[1]))
        return self.loc[which] + self.scale[which] * noise
