from collections.abc import Callable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Complex64, Float

from scaffold.skeleton import Module, param, static, test


@test(sizes={"points": 11}, values={"modes": 3}, rejected=[{"modes": 0}])
class SpectralBlock(Module, save=True):
    """A layer of a Fourier neural operator on a line (Li et al. 2021)."""

    mix: Complex64[Array, "modes channels channels"] = param("normal(0.2)")
    bypass: Float[Array, "channels channels"] = param("lecun_normal")
    bias: Float[Array, " channels"] = param("zeros", decay=False)
    gain: Float[Array, " channels"] = param("full(0.1)", decay=False)
    modes: int = static(check=lambda modes: modes > 0)
    """Number of frequencies that are kept, with the mean"""
    residual: bool = True
    activation: Callable = jax.nn.gelu

    def __call__(
        self, x: Float[Array, "channels points"], *, last: bool = False
    ) -> Float[Array, "channels points"]:
        """Transform a signal on a grid; the `last` layer has no activation."""
        y = self.convolved(x) + self.bypass @ x + self.bias[:, None]
        if not last:
            y = self.activation(y)
        y = self.gain[:, None] * y
        return x + y if self.residual else y

    def convolved(self, x: Float[Array, "channels points"]) -> Float[Array, "channels points"]:
        """Mix the channels of each of the low frequencies."""
        spectrum = self.spectrum(x)
        mixed = jnp.einsum("kij,jk->ik", self.mix[: spectrum.shape[1]], spectrum)
        return jnp.fft.irfft(mixed, n=x.shape[1], axis=1).astype(x.dtype)

    def spectrum(self, x: Float[Array, "channels points"]) -> Complex64[Array, "channels modes"]:
        """The low frequencies of a signal."""
        return jnp.fft.rfft(x.astype(jnp.float32), axis=1)[:, : self.modes]

    def smoothness(self, x: Float[Array, "channels points"], *, order: int = 1) -> Float[Array, ""]:
        """The mean power of the derivative of this order, of the low frequencies of what the layer gives."""
        spectrum = self.spectrum(self(x))
        power = jnp.abs(spectrum) ** 2
        return jnp.mean(power * jnp.arange(spectrum.shape[1]) ** (2 * order)).astype(x.dtype)
