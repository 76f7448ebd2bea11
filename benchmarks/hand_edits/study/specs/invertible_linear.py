import jax
import jax.numpy as jnp
from jax.scipy.linalg import solve_triangular
from jaxtyping import Array, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, buffer, param, static, test


@test(
    rejected=[{"limit": 0.0}],
    unused=["lower", "upper"],
    holds=[
        {
            "name": "the inverse undoes the forward map",
            "that": "close(self.inverse(self.forward(x)[0])[0], x)",
        }
    ],
)
class InvertibleLinear(Module):
    """An invertible linear map of a flow, held as P L U (Kingma and Dhariwal 2018)."""

    lower: Float[Array, "size size"] = param("normal(0.1)")
    upper: Float[Array, "size size"] = param("normal(0.1)")
    log_scale: Float[Array, " size"] = param("zeros")
    shift: Float[Array, " size"] | None = param("zeros", optional="use_shift")
    sign: Float[Array, " size"] = buffer(lambda size, dtype, key: jax.random.rademacher(key, (size,), dtype))
    order: Int32[Array, " size"] = buffer(
        lambda size, key: jax.random.permutation(key, size).astype(jnp.int32)
    )
    limit: float = static(3.0, check=lambda limit: limit > 0)
    """The greatest logarithm of a scale"""

    def forward(self, x: Float[Array, " size"]) -> tuple[Float[Array, " size"], Float[Array, ""]]:
        """The latent vector of `x`, and the logarithm of the determinant."""
        lower, upper, log_scale = self.factors()
        y = (lower @ (upper @ x))[self.order]
        if self.shift is not None:
            y = y + self.shift
        return y, jnp.sum(log_scale)

    def inverse(self, y: Float[Array, " size"]) -> tuple[Float[Array, " size"], Float[Array, ""]]:
        """The vector of which `y` is the latent one, and the logarithm of the determinant of this map."""
        lower, upper, log_scale = self.factors()
        if self.shift is not None:
            y = y - self.shift
        y = y[jnp.argsort(self.order)]
        x = solve_triangular(upper, solve_triangular(lower, y, lower=True, unit_diagonal=True))
        return x, -jnp.sum(log_scale)

    def factors(self) -> tuple[Float[Array, "size size"], Float[Array, "size size"], Float[Array, " size"]]:
        """The two triangular factors, and the logarithms of the scales."""
        size = self.log_scale.shape[0]
        log_scale = self.limit * jnp.tanh(self.log_scale / self.limit)
        lower = jnp.tril(self.lower, -1) + jnp.eye(size, dtype=self.lower.dtype)
        upper = jnp.triu(self.upper, 1) + jnp.diag(self.sign * jnp.exp(log_scale))
        return lower, upper, log_scale

    def log_prob(self, x: Float[Array, " size"]) -> Float[Array, ""]:
        """The logarithm of the density of `x`, where the latent vector is standard normal."""
        y, log_det = self.forward(x)
        return jnp.sum(jax.scipy.stats.norm.logpdf(y)) + log_det

    def sample(self, *, temperature: float = 1.0, key: PRNGKeyArray) -> Float[Array, " size"]:
        """A random vector; a `temperature` below 1 draws nearer to the mode."""
        noise = jax.random.normal(key, self.log_scale.shape, self.log_scale.dtype)
        return self.inverse(temperature * noise)[0]
