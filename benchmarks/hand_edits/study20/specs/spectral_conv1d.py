"""Fourier-space convolution block for neural operators on a periodic 1d grid."""

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Complex, Float, PRNGKeyArray


class SpectralConv1d(eqx.Module):
    weight_re: Float[Array, "out in_ modes"]
    weight_im: Float[Array, "out in_ modes"]
    skip: Float[Array, "out in_"]
    bias: Float[Array, " out"]
    activation: Callable
    modes: int = eqx.field(static=True)

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        modes: int,
        *,
        activation: Callable = jax.nn.gelu,
        key: PRNGKeyArray,
    ):
        re_key, im_key, skip_key = jax.random.split(key, 3)
        shape = (out_channels, in_channels, modes)
        scale = 1.0 / (in_channels * out_channels)
        self.weight_re = scale * jax.random.normal(re_key, shape)
        self.weight_im = scale * jax.random.normal(im_key, shape)
        lim = in_channels**-0.5
        self.skip = jax.random.uniform(skip_key, shape[:2], minval=-lim, maxval=lim)
        self.bias = jnp.zeros((out_channels,))
        self.activation = activation
        self.modes = modes

    @property
    def weight(self) -> Complex[Array, "out in_ modes"]:
        return self.weight_re + 1j * self.weight_im

    def convolve(self, u: Float[Array, "in_ grid"]) -> Float[Array, "out grid"]:
        """Multiply the lowest `modes` Fourier coefficients by the weight, drop the others."""
        grid = u.shape[-1]
        if grid // 2 + 1 < self.modes:
            raise ValueError("grid too coarse for the number of modes")
        coeff = jnp.fft.rfft(u, axis=-1)[:, : self.modes]
        mixed = jnp.einsum("oim,im->om", self.weight, coeff)
        padded = jnp.zeros((mixed.shape[0], grid // 2 + 1), mixed.dtype)
        padded = padded.at[:, : self.modes].set(mixed)
        return jnp.fft.irfft(padded, n=grid, axis=-1)

    def penalty(self, order: int = 1) -> Float[Array, ""]:
        """Sobolev-type penalty: higher modes cost more."""
        k = jnp.arange(self.modes) ** order
        return jnp.sum(k**2 * (self.weight_re**2 + self.weight_im**2))

    def __call__(self, u: Float[Array, "in_ grid"]) -> Float[Array, "out grid"]:
        local = self.skip @ u + self.bias[:, None]
        return self.activation(self.convolve(u) + local)
