from typing import Any, final

import jax
import jax.numpy as jnp
from jax import Array
from jax.tree_util import GetAttrKey
from jax.typing import ArrayLike


@final
@jax.tree_util.register_pytree_with_keys_class
class Shear:
    """A shear of the plane, of two components.

    It registers itself, and its operators are its own.
    """

    def __init__(self, g1: ArrayLike, g2: ArrayLike):
        self.g1, self.g2 = jnp.array(g1, float), jnp.array(g2, float)

    @classmethod
    def of_angle(cls, size: ArrayLike, angle: ArrayLike) -> "Shear":
        return cls(size * jnp.cos(2 * angle), size * jnp.sin(2 * angle))

    def __neg__(self) -> "Shear":
        return Shear(-self.g1, -self.g2)

    @property
    def matrix(self) -> Array:
        rows = jnp.array([[1 + self.g1, self.g2], [self.g2, 1 - self.g1]])
        return rows / jnp.sqrt(1 - self.g1**2 - self.g2**2)

    def apply(self, points: Array) -> Array:
        return points @ self.matrix

    def tree_flatten_with_keys(self) -> tuple[tuple[tuple[Any, Any], ...], None]:
        return ((GetAttrKey("g1"), self.g1), (GetAttrKey("g2"), self.g2)), None

    def tree_flatten(self) -> tuple[tuple[Any, ...], None]:
        return (self.g1, self.g2), None

    @classmethod
    def tree_unflatten(cls, aux: None, children: tuple[Any, ...]) -> "Shear":
        shear = object.__new__(cls)
        shear.g1, shear.g2 = children
        return shear
