"""A wavelet transform by lifting, with filters that are learnt."""

import jax.numpy as jnp
from jaxtyping import Array, Float

from scaffold.skeleton import Module, param, static, test


@test(
    dtypes=["bf16"],
    sizes={"length": 8},
    holds=[{"name": "the inverse undoes the transform", "that": "close(self.inverse(self.forward(x)), x)"}],
)
class Wavelet(Module):
    """Splits a signal into a coarse part and details, level by level."""

    predict: Float[Array, " taps"] = param("normal(0.3)")
    """Filter that predicts odd samples from even ones"""
    update: Float[Array, " taps"] = param("normal(0.3)")
    """Filter that keeps the mean of the coarse part"""
    log_gain: Float[Array, ""] = param("zeros")
    threshold: Float[Array, ""] | None = param("full(0.1)", optional="denoise")
    levels: int = static(2, check=lambda levels: levels > 0)
    periodic: bool = static(True)

    def __call__(self, x: Float[Array, " length"]) -> Float[Array, " length"]:
        """The signal without details below the threshold."""
        coefficients = self.forward(x)
        if self.threshold is None:
            return self.inverse(coefficients)
        return self.inverse(self.shrink(coefficients))

    def forward(self, x: Float[Array, " length"]) -> Float[Array, " length"]:
        """Coefficients: the coarse part, then the details from coarse to fine."""
        details = []
        gain = jnp.exp(self.log_gain)
        for _ in range(self.levels):
            even, odd = x[0::2], x[1::2]
            detail = odd - self.filtered(even, self.predict)
            x = (even + self.filtered(detail, self.update)) * gain
            details.append(detail / gain)
        return jnp.concatenate([x, *reversed(details)])

    def inverse(self, coefficients: Float[Array, " length"]) -> Float[Array, " length"]:
        """The signal with these coefficients."""
        gain = jnp.exp(self.log_gain)
        size = coefficients.shape[0] >> self.levels
        x, rest = coefficients[:size], coefficients[size:]
        for _ in range(self.levels):
            detail, rest = rest[: x.shape[0]] * gain, rest[x.shape[0] :]
            even = x / gain - self.filtered(detail, self.update)
            odd = detail + self.filtered(even, self.predict)
            x = jnp.stack([even, odd], axis=-1).reshape(-1)
        return x

    def shrink(self, coefficients: Float[Array, " length"]) -> Float[Array, " length"]:
        """Details moved towards 0 by the threshold; the coarse part stays."""
        if self.threshold is None:
            return coefficients
        size = coefficients.shape[0] >> self.levels
        details = coefficients[size:]
        small = jnp.maximum(jnp.abs(details) - self.threshold, 0)
        return jnp.concatenate([coefficients[:size], jnp.sign(details) * small])

    def filtered(self, x: Float[Array, " half"], taps: Float[Array, " taps"]) -> Float[Array, " half"]:
        """A causal filter, periodic or with zeros outside."""
        total = jnp.zeros_like(x)
        for lag in range(taps.shape[0]):
            shifted = jnp.roll(x, lag)
            if not self.periodic:
                shifted = jnp.where(jnp.arange(x.shape[0]) < lag, 0, shifted)
            total = total + taps[lag] * shifted
        return total
