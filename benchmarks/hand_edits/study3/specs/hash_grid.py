"""A multi-resolution hash encoding of points in a unit cube."""

import itertools

import jax.numpy as jnp
from jaxtyping import Array, Float, Int32, UInt32

from scaffold.skeleton import Module, buffer, param, static, test


@test(values={"x": [0.13, 0.58], "size": 2})
class HashGrid(Module):
    """Features of a point, interpolated in hashed grids of growing resolution."""

    table: Float[Array, "levels entries features"] = param("uniform(0.0001)")
    primes: UInt32[Array, " size"] = buffer(
        lambda size: jnp.array([1, 2654435761, 805459861], jnp.uint32)[:size]
    )
    growth: float = static(1.5, check=lambda growth: growth > 1)
    """Ratio of the resolutions of two levels"""
    coarsest: int = static(4, check=lambda coarsest: coarsest > 0)
    """Resolution of the first level"""
    smooth: bool = static(False)
    """Whether the interpolation has a continuous slope"""

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " levels*features"]:
        """Features of all levels, the coarsest first."""
        features = [self.level(x, level) for level in range(self.table.shape[0])]
        return jnp.concatenate(features)

    def level(self, x: Float[Array, " size"], level: int = 0) -> Float[Array, " features"]:
        """Features of one level."""
        scaled = x * self.resolution(level)
        corner = jnp.floor(scaled)
        weight = scaled - corner
        if self.smooth:
            weight = weight**2 * (3 - 2 * weight)
        result = jnp.zeros_like(self.table[level, 0])
        for offset in itertools.product((0, 1), repeat=x.shape[0]):
            at = jnp.array(offset)
            share = jnp.prod(jnp.where(at == 1, weight, 1 - weight))
            entry = self.table[level, self.index(corner.astype(jnp.int32) + at)]
            result = result + share * entry
        return result

    def index(self, corner: Int32[Array, " size"]) -> Int32[Array, ""]:
        """The entry in which the features of a corner lie."""
        products = corner.astype(jnp.uint32) * self.primes
        mixed = products[0]
        for product in products[1:]:
            mixed = mixed ^ product
        return (mixed % self.table.shape[1]).astype(jnp.int32)

    def resolution(self, level: int) -> int:
        """Cells along an axis."""
        return int(self.coarsest * self.growth**level)
