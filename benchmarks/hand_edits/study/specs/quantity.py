import jax.numpy as jnp
from jaxtyping import Array, Float

from scaffold.skeleton import Pytree, data, static, test


@test(values={"dimension": (1, 0, -2)}, positive=["variance"])
class Quantity(Pytree):
    """Measured numbers, with their variances and a unit: powers of metre, kilogram and second, times a scale."""

    value: Float[Array, " size"] = data()
    variance: Float[Array, " size"] = data()
    dimension: tuple[int, ...] = static((0, 0, 0), check=lambda dimension: len(dimension) == 3)
    """Powers of metre, kilogram and second"""
    scale: float = static(1.0, check=lambda scale: scale > 0)
    """The unit in SI units: 1000.0 for kilometres"""

    def to(self, scale: float = 1.0) -> "Quantity":
        """The same in another unit of this dimension."""
        ratio = self.scale / scale
        return Quantity.create(self.value * ratio, self.variance * ratio**2, self.dimension, scale)

    def __add__(self, other: "Quantity") -> "Quantity":
        """The sum, in the unit of the first."""
        if other.dimension != self.dimension:
            raise ValueError(f"dimensions {self.dimension} and {other.dimension} do not add up")
        other = other.to(self.scale)
        return Quantity.create(
            self.value + other.value, self.variance + other.variance, self.dimension, self.scale
        )

    def __mul__(self, other: "Quantity") -> "Quantity":
        """The product, in the product of the units."""
        variance = self.value**2 * other.variance + other.value**2 * self.variance
        dimension = tuple(a + b for a, b in zip(self.dimension, other.dimension, strict=True))
        return Quantity.create(self.value * other.value, variance, dimension, self.scale * other.scale)

    def power(self, exponent: int = 2) -> "Quantity":
        """The numbers to a whole power."""
        slope = exponent * self.value ** (exponent - 1)
        dimension = tuple(exponent * power for power in self.dimension)
        return Quantity.create(
            self.value**exponent, slope**2 * self.variance, dimension, self.scale**exponent
        )

    def mean(self, *, weighted: bool = False) -> "Quantity":
        """The mean as a quantity of size 1; `weighted` by the inverse of the variance."""
        if weighted:
            weight = 1 / self.variance
            weight = weight / jnp.sum(weight)
        else:
            weight = jnp.full_like(self.value, 1 / self.value.shape[0])
        return Quantity.create(
            jnp.sum(weight * self.value, keepdims=True),
            jnp.sum(weight**2 * self.variance, keepdims=True),
            self.dimension,
            self.scale,
        )

    @property
    def deviation(self) -> Float[Array, " size"]:
        """The standard deviations."""
        return jnp.sqrt(self.variance)
