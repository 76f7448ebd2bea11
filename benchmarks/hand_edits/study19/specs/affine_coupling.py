"""Affine coupling layers of a normalizing flow."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PRNGKeyArray


class AffineCoupling(eqx.Module):
    """Scale and shift one half of the input, as the other half says."""

    net: eqx.nn.MLP
    log_scale: Float[Array, " dim"]
    mask: Bool[Array, " dim"]
    bound: float = eqx.field(static=True, default=3.0)

    def __init__(
        self,
        dim: int,
        width: int,
        *,
        flip: bool = False,
        bound: float = 3.0,
        key: PRNGKeyArray,
    ):
        if bound <= 0:
            raise ValueError("bound must be positive")
        self.net = eqx.nn.MLP(dim, 2 * dim, width, depth=1, activation=jax.nn.tanh, key=key)
        self.log_scale = jnp.zeros((dim,))
        even = jnp.arange(dim) % 2 == 0
        self.mask = ~even if flip else even
        self.bound = bound

    def _parameters(self, x: Float[Array, " dim"]) -> tuple[Float[Array, " dim"], Float[Array, " dim"]]:
        shift, raw = jnp.split(self.net(jnp.where(self.mask, x, 0.0)), 2)
        log_scale = self.bound * jnp.tanh(raw / self.bound) + self.log_scale
        return jnp.where(self.mask, 0.0, shift), jnp.where(self.mask, 0.0, log_scale)

    def forward(self, x: Float[Array, " dim"]) -> tuple[Float[Array, " dim"], Float[Array, ""]]:
        """The image of `x`, and the log-determinant of the Jacobian there."""
        shift, log_scale = self._parameters(x)
        return x * jnp.exp(log_scale) + shift, jnp.sum(log_scale)

    def inverse(self, y: Float[Array, " dim"]) -> tuple[Float[Array, " dim"], Float[Array, ""]]:
        """The point that `forward` maps to `y`, and the log-determinant."""
        shift, log_scale = self._parameters(y)
        return (y - shift) * jnp.exp(-log_scale), -jnp.sum(log_scale)

    def log_prob(self, y: Float[Array, " dim"]) -> Float[Array, ""]:
        """The log-density of `y`, where the base is a standard normal."""
        x, log_det = self.inverse(y)
        return jnp.sum(jax.scipy.stats.norm.logpdf(x)) + log_det
