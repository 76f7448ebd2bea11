"""A piecewise linear curve."""

from typing import Literal

import jax.numpy as jnp
from jaxtyping import Array, Float, Int32

from scaffold.skeleton import Pytree, data, static, test


@test(
    values={"knots": [-1.0, 0.5, 1.25, 3.0, 4.5]},
)
class Spline(Pytree, save=True):
    """A curve through values at knots, on which a sensor is calibrated."""

    knots: Float[Array, " n"] = data()
    """Where the values are known, from left to right"""
    levels: Float[Array, "n channels"] = data()
    outside: Literal["clamp", "extend"] = static("clamp")
    """What stands beyond the first and the last knot"""
    unit: str = static("V")

    def __call__(self, x: Float[Array, " m"]) -> Float[Array, "m channels"]:
        """The values at some places."""
        piece = self.pieces(x)
        left, right = self.knots[piece], self.knots[piece + 1]
        share = (x - left) / (right - left)
        if self.outside == "clamp":
            share = jnp.clip(share, 0, 1)
        return self.levels[piece] + share[:, None] * (self.levels[piece + 1] - self.levels[piece])

    def pieces(self, x: Float[Array, " m"]) -> Int32[Array, " m"]:
        """The number of the piece of each place."""
        found = jnp.searchsorted(self.knots, x, side="right") - 1
        return jnp.clip(found, 0, self.knots.shape[0] - 2).astype(jnp.int32)

    def slopes(self) -> Float[Array, "n-1 channels"]:
        """The slope of each piece."""
        return jnp.diff(self.levels, axis=0) / jnp.diff(self.knots)[:, None]

    def mean(self, *, weighted: bool = True) -> Float[Array, " channels"]:
        """The mean of the curve, or that of its values at the knots."""
        if not weighted:
            return jnp.mean(self.levels, axis=0)
        widths = jnp.diff(self.knots)
        middles = 0.5 * (self.levels[1:] + self.levels[:-1])
        return widths @ middles / jnp.sum(widths)

    def shifted(self, offset: Float[Array, " channels"]) -> "Spline":
        """The curve with an offset in each channel."""
        return Spline(self.knots, self.levels + offset, self.outside, self.unit)
