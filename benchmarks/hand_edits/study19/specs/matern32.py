"""Covariance functions."""

import jax
import jax.numpy as jnp

from scaffold.skeleton import test


@test(
    build=lambda seed: Matern32.create(2),
    values={
        "x": lambda seed: jax.random.normal(jax.random.key(seed + 7), (2,)),
        "y": lambda seed: jax.random.normal(jax.random.key(seed + 8), (2,)),
        "xs": lambda seed: jax.random.normal(jax.random.key(seed + 9), (5, 2)),
        "ys": lambda seed: jax.random.normal(jax.random.key(seed + 10), (5,)),
    },
)
@jax.tree_util.register_pytree_node_class
class Matern32:
    """The Matern kernel with smoothness 3/2, with one length scale a feature."""

    def __init__(self, lengthscale, variance, noise, jitter=1e-6):
        self.lengthscale = lengthscale
        self.variance = variance
        self.noise = noise
        self.jitter = jitter

    @classmethod
    def create(cls, num_features: int, jitter: float = 1e-6) -> "Matern32":
        return cls(
            jnp.full((num_features,), 0.7, jnp.float32),
            jnp.asarray(1.5, jnp.float32),
            jnp.asarray(0.1, jnp.float32),
            jitter,
        )

    def tree_flatten(self):
        return (self.lengthscale, self.variance, self.noise), (self.jitter,)

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children, *aux)

    def distance(self, x: jax.Array, y: jax.Array) -> jax.Array:
        """The scaled distance of two points of shape (num_features,)."""
        squared = jnp.sum(((x - y) / self.lengthscale) ** 2)
        safe = jnp.where(squared > 0, squared, 1.0)
        return jnp.where(squared > 0, jnp.sqrt(safe), 0.0)

    def __call__(self, x: jax.Array, y: jax.Array) -> jax.Array:
        scaled = jnp.sqrt(3.0).astype(x.dtype) * self.distance(x, y)
        return self.variance * (1.0 + scaled) * jnp.exp(-scaled)

    def gram(self, xs: jax.Array) -> jax.Array:
        """The covariance of points of shape (num_points, num_features)."""
        rows = jax.vmap(lambda x: jax.vmap(lambda y: self(x, y))(xs))(xs)
        return rows + self.jitter * jnp.eye(xs.shape[0], dtype=rows.dtype)

    def log_likelihood(self, xs: jax.Array, ys: jax.Array) -> jax.Array:
        """The log marginal likelihood of targets of shape (num_points,)."""
        noise = self.noise * jnp.eye(xs.shape[0], dtype=ys.dtype)
        factor = jnp.linalg.cholesky(self.gram(xs) + noise)
        white = jax.scipy.linalg.solve_triangular(factor, ys, lower=True)
        log_det = 2.0 * jnp.sum(jnp.log(jnp.diagonal(factor)))
        return -0.5 * (white @ white + log_det + ys.size * jnp.log(2.0 * jnp.pi))
