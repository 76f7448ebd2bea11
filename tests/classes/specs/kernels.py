from abc import abstractmethod

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from scaffold.skeleton import Abstract, param, test


class AbstractKernel(Abstract):
    """How alike two points are."""

    @abstractmethod
    def __call__(self, x: Float[Array, " n"], y: Float[Array, " n"]) -> Float[Array, ""]:
        """The value for a pair of points."""

    def gram(self, xs: Float[Array, "m n"]) -> Float[Array, "m m"]:
        """The value for each pair of the points."""
        return jax.vmap(lambda x: jax.vmap(lambda y: self(x, y))(xs))(xs)

    def diagonal(self, xs: Float[Array, "m n"]) -> Float[Array, " m"]:
        """The value for each point with itself."""
        return jax.vmap(lambda x: self(x, x))(xs)


class RBF(AbstractKernel):
    """A Gaussian of the distance."""

    scale: Float[Array, ""] = param("ones")
    """The distance over which it falls"""
    variance: Float[Array, ""] = param("ones")
    """The value for a point with itself"""

    def __call__(self, x: Float[Array, " n"], y: Float[Array, " n"]) -> Float[Array, ""]:
        return self.variance * jnp.exp(-jnp.sum(((x - y) / self.scale) ** 2) / 2)


@test(values={"left": lambda: RBF.create(), "right": lambda: RBF.create()})
class SumKernel(AbstractKernel):
    """The sum of two kernels."""

    left: AbstractKernel
    right: AbstractKernel

    def __call__(self, x: Float[Array, " n"], y: Float[Array, " n"]) -> Float[Array, ""]:
        return self.left(x, y) + self.right(x, y)


@test(values={"left": lambda: RBF.create(), "right": lambda: RBF.create()})
class ProductKernel(AbstractKernel):
    """The product of two kernels."""

    left: AbstractKernel
    right: AbstractKernel

    def __call__(self, x: Float[Array, " n"], y: Float[Array, " n"]) -> Float[Array, ""]:
        return self.left(x, y) * self.right(x, y)
