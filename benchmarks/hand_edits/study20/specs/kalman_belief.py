"""Gaussian belief over a linear system's state, with predict and update."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray


@jax.tree_util.register_pytree_node_class
class KalmanBelief:
    mean: Float[Array, " dim"]
    cov: Float[Array, "dim dim"]

    def __init__(self, mean, cov, names: tuple[str, ...] = (), jitter: float = 0.0):
        self.mean = mean
        self.cov = cov
        self.names = names
        self.jitter = jitter

    def tree_flatten(self):
        return (self.mean, self.cov), (self.names, self.jitter)

    @classmethod
    def tree_unflatten(cls, aux, children):
        mean, cov = children
        names, jitter = aux
        return cls(mean, cov, names, jitter)

    @classmethod
    def diffuse(cls, names: tuple[str, ...], *, scale: float = 100.0, jitter: float = 0.0) -> "KalmanBelief":
        dim = len(names)
        return cls(jnp.zeros(dim), scale**2 * jnp.eye(dim), tuple(names), jitter)

    def replace(self, mean, cov) -> "KalmanBelief":
        return KalmanBelief(mean, cov, self.names, self.jitter)

    def predict(self, F: Float[Array, "dim dim"], Q: Float[Array, "dim dim"]) -> "KalmanBelief":
        cov = F @ self.cov @ F.T + Q
        return self.replace(F @ self.mean, cov)

    def update(
        self, H: Float[Array, "obs dim"], R: Float[Array, "obs obs"], y: Float[Array, " obs"]
    ) -> tuple["KalmanBelief", Float[Array, ""]]:
        """Condition on y = H x + noise; also gives log p(y)."""
        S = H @ self.cov @ H.T + R + self.jitter * jnp.eye(H.shape[0])
        gain = jnp.linalg.solve(S, H @ self.cov).T
        innovation = y - H @ self.mean
        left = jnp.eye(self.mean.shape[0]) - gain @ H
        cov = left @ self.cov @ left.T + gain @ R @ gain.T
        loglik = jax.scipy.stats.multivariate_normal.logpdf(innovation, jnp.zeros_like(innovation), S)
        return self.replace(self.mean + gain @ innovation, cov), loglik

    def filter(self, F, Q, H, R, ys: Float[Array, "steps obs"]):
        """Run over a series; gives the last belief, the filtered means and log p(ys)."""

        def body(belief, y):
            belief, loglik = belief.predict(F, Q).update(H, R, y)
            return belief, (belief.mean, loglik)

        last, (means, logliks) = jax.lax.scan(body, self, ys)
        return last, means, jnp.sum(logliks)

    def marginal(self, name: str) -> tuple[Float[Array, ""], Float[Array, ""]]:
        i = self.names.index(name)
        return self.mean[i], jnp.sqrt(self.cov[i, i])

    def sample(self, key: PRNGKeyArray, n: int) -> Float[Array, "n dim"]:
        root = jnp.linalg.cholesky(self.cov)
        return self.mean + jax.random.normal(key, (n, self.mean.shape[0])) @ root.T
