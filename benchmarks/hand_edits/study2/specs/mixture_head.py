import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, buffer, param, static, test


@test(values={"log_prob.y": lambda: jnp.array([0.3, -1.1, 0.8, 1.7, -0.6])})
class MixtureHead(Module):
    """A density of `y` given features: a mixture of Gaussians with diagonal covariance."""

    to_logits: Float[Array, "components features"] = param("lecun_normal")
    to_means: Float[Array, "components outputs features"] = param(
        lambda key, components, outputs, features, dtype: (
            jax.random.normal(key, (components, outputs, features), dtype)
            / jnp.sqrt(jnp.asarray(features, dtype))
        ),
        std=lambda features: features**-0.5,
    )
    to_scales: Float[Array, "components outputs features"] = param("normal(0.01)")
    means: Float[Array, "components outputs"] = param("normal(1.0)")
    prior: Float[Array, " components"] | None = param("zeros", optional="use_prior")
    """Log odds of the components before any feature is seen"""
    centre: Float[Array, " outputs"] = buffer()
    """Mean of the targets"""
    deviation: Float[Array, " outputs"] = buffer()
    """Standard deviation of the targets"""
    floor: float = static(1e-3, check=lambda floor: floor > 0)
    """The least scale of a component"""

    def __call__(
        self, x: Float[Array, " features"], *, temperature: float = 1.0
    ) -> tuple[
        Float[Array, " components"],
        Float[Array, "components outputs"],
        Float[Array, "components outputs"],
    ]:
        """Log weights, means and scales of the components, for standardised targets."""
        logits = self.to_logits @ x
        if self.prior is not None:
            logits = logits + self.prior
        means = self.means + self.to_means @ x
        scales = self.floor + jax.nn.softplus(self.to_scales @ x)
        return jax.nn.log_softmax(logits / temperature), means, scales

    def log_prob(self, x: Float[Array, " features"], y: Float[Array, " outputs"]) -> Float[Array, ""]:
        """Log density of `y`, in its own units."""
        log_weights, means, scales = self(x)
        standard = (y - self.centre) / self.deviation
        errors = (standard - means) / scales
        constant = jnp.log(jnp.asarray(2 * jnp.pi, errors.dtype))
        normal = -0.5 * (errors**2 + constant) - jnp.log(scales)
        joint = log_weights + jnp.sum(normal, axis=-1)
        return jax.nn.logsumexp(joint) - jnp.sum(jnp.log(self.deviation))

    def sample(self, x: Float[Array, " features"], *, key: PRNGKeyArray) -> Float[Array, " outputs"]:
        """Draw a target, in its own units."""
        which_key, noise_key = jax.random.split(key)
        log_weights, means, scales = self(x)
        which = jax.random.categorical(which_key, log_weights)
        noise = jax.random.normal(noise_key, means.shape[1:], means.dtype)
        return self.centre + self.deviation * (means[which] + scales[which] * noise)

    def mode(self, x: Float[Array, " features"], *, marginal: bool = False) -> Float[Array, " outputs"]:
        """The mean of the likeliest component; with `marginal` the mean of the whole density."""
        log_weights, means, _ = self(x)
        standard = jnp.exp(log_weights) @ means if marginal else means[jnp.argmax(log_weights)]
        return self.centre + self.deviation * standard

    def component(self, x: Float[Array, " features"], y: Float[Array, " outputs"]) -> Int32[Array, ""]:
        """The component that is nearest to `y` in its own scale."""
        _, means, scales = self(x)
        errors = ((y - self.centre) / self.deviation - means) / scales
        return jnp.argmin(jnp.sum(errors**2, axis=-1)).astype(jnp.int32)
