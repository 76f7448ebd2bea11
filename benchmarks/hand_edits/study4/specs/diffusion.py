"""A denoiser of a diffusion model, and its training."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, TrainState, buffer, data, param, static, test


@test(dtypes=["bf16"])
class Denoiser(Module, migrate=True, save=True):
    """A network that guesses the noise in a vector, given how much of it there is."""

    frequencies: Float[Array, " half"] = buffer("normal")
    """Of the features of the noise level"""
    embed: Float[Array, "hidden 2*half"] | None = param("lecun_normal", optional="conditioned")
    inner: Float[Array, "hidden size"] = param("lecun_normal")
    modulate: Float[Array, "2*hidden hidden"] | None = param("normal(0.1)", optional="conditioned")
    outer: Float[Array, "size hidden"] = param("glorot_normal")
    bias: Float[Array, " size"] | None = param("zeros", optional="use_bias")
    spread: float = static(0.5, check=lambda spread: spread > 0)
    """Deviation of the data"""

    def __call__(self, x: Float[Array, " size"], sigma: Float[Array, ""]) -> Float[Array, " size"]:
        """The clean vector, as a blend of the noisy one and of the network's output."""
        total = sigma**2 + self.spread**2
        skip = self.spread**2 / total
        out = sigma * self.spread / jnp.sqrt(total)
        return skip * x + out * self.network(x / jnp.sqrt(total), sigma)

    def network(self, x: Float[Array, " size"], sigma: Float[Array, ""]) -> Float[Array, " size"]:
        """The network alone."""
        hidden = self.inner @ x
        if self.embed is not None and self.modulate is not None:
            shift, scale = jnp.split(self.modulate @ jax.nn.silu(self.embed @ self.features(sigma)), 2)
            hidden = hidden * (1 + scale) + shift
        y = self.outer @ jax.nn.silu(hidden)
        return y if self.bias is None else y + self.bias

    def features(self, sigma: Float[Array, ""]) -> Float[Array, " 2*half"]:
        """Random Fourier features of the logarithm of the noise level."""
        angles = 0.25 * jnp.log(sigma**2 + 1e-6) * self.frequencies
        return jnp.concatenate([jnp.cos(angles), jnp.sin(angles)])


@test(sizes={"size": 5})
class Diffusion(TrainState, ema=0.99, key=True, save=True):
    """A denoiser in training, with noise levels on a schedule."""

    model: Denoiser
    lowest: Float[Array, ""] = data(lambda: jnp.asarray(0.01))
    """The least noise level"""
    highest: Float[Array, ""] = data(lambda: jnp.asarray(10.0))
    levels: int = static(8, check=lambda levels: levels > 1)
    rho: float = static(3.0, check=lambda rho: rho > 0)
    """How much of the schedule lies at low noise"""
    geometric: bool = static(False)

    def sigma(self, index: Int32[Array, ""]) -> Float[Array, ""]:
        """The noise level of an index, from the highest to the lowest."""
        share = index.astype(self.lowest.dtype) / (self.levels - 1)
        if self.geometric:
            return self.highest * (self.lowest / self.highest) ** share
        high, low = self.highest ** (1 / self.rho), self.lowest ** (1 / self.rho)
        return (high + share * (low - high)) ** self.rho

    def noised(
        self, clean: Float[Array, " size"], index: Int32[Array, ""], *, key: PRNGKeyArray
    ) -> Float[Array, " size"]:
        """A vector with the noise of a level."""
        noise = jax.random.normal(key, clean.shape, clean.dtype)
        return clean + self.sigma(index).astype(clean.dtype) * noise

    def importance(self, sigma: Float[Array, ""], *, uniform: bool = False) -> Float[Array, ""]:
        """How much the loss at a noise level counts."""
        weight = (sigma**2 + self.model.spread**2) / (sigma * self.model.spread) ** 2
        return jnp.ones_like(weight) if uniform else weight
