"""RealNVP density: affine couplings with alternating masks, stacked and scanned."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PRNGKeyArray


class RealNvpFlow(eqx.Module):
    nets: eqx.nn.MLP  # every array has a leading "layers" axis
    log_gain: Float[Array, "layers dim"]
    masks: Bool[Array, "layers dim"]
    dim: int = eqx.field(static=True)
    max_log_scale: float = eqx.field(static=True)

    def __init__(self, dim: int, layers: int, width: int, *, max_log_scale: float = 2.0, key: PRNGKeyArray):
        keys = jax.random.split(key, layers)
        self.nets = eqx.filter_vmap(
            lambda k: eqx.nn.MLP(dim, 2 * dim, width, depth=2, activation=jnp.tanh, key=k)
        )(keys)
        self.log_gain = jnp.zeros((layers, dim))
        self.masks = (jnp.arange(dim)[None, :] + jnp.arange(layers)[:, None]) % 2 == 0
        self.dim = dim
        self.max_log_scale = max_log_scale

    def _affine(self, net, gain, mask, kept: Float[Array, " dim"]):
        shift, raw = jnp.split(net(jnp.where(mask, kept, 0.0)), 2)
        log_scale = self.max_log_scale * jnp.tanh(raw / self.max_log_scale) + gain
        return jnp.where(mask, 0.0, shift), jnp.where(mask, 0.0, log_scale)

    def forward(self, z: Float[Array, " dim"]) -> tuple[Float[Array, " dim"], Float[Array, ""]]:
        """Base to data; returns the point and log|det dx/dz|."""
        dynamic, static = eqx.partition(self.nets, eqx.is_array)

        def body(carry, layer):
            x, logdet = carry
            params, gain, mask = layer
            shift, log_scale = self._affine(eqx.combine(params, static), gain, mask, x)
            return (x * jnp.exp(log_scale) + shift, logdet + jnp.sum(log_scale)), None

        (x, logdet), _ = jax.lax.scan(body, (z, jnp.zeros(())), (dynamic, self.log_gain, self.masks))
        return x, logdet

    def inverse(self, x: Float[Array, " dim"]) -> tuple[Float[Array, " dim"], Float[Array, ""]]:
        """Data to base; returns the point and log|det dz/dx|."""
        dynamic, static = eqx.partition(self.nets, eqx.is_array)

        def body(carry, layer):
            z, logdet = carry
            params, gain, mask = layer
            shift, log_scale = self._affine(eqx.combine(params, static), gain, mask, z)
            return ((z - shift) * jnp.exp(-log_scale), logdet - jnp.sum(log_scale)), None

        layers = (dynamic, self.log_gain, self.masks)
        (z, logdet), _ = jax.lax.scan(body, (x, jnp.zeros(())), layers, reverse=True)
        return z, logdet

    def log_prob(self, x: Float[Array, " dim"]) -> Float[Array, ""]:
        z, logdet = self.inverse(x)
        return jnp.sum(jax.scipy.stats.norm.logpdf(z)) + logdet

    def sample(self, key: PRNGKeyArray, n: int) -> Float[Array, "n dim"]:
        z = jax.random.normal(key, (n, self.dim))
        return jax.vmap(self.forward)(z)[0]
