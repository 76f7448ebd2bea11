"""Rotations as unit quaternions."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


@jax.tree_util.register_dataclass
@dataclass(frozen=True, eq=False)
class Rotation:
    """A rotation of space, as a unit quaternion (w, x, y, z)."""

    wxyz: Float[Array, "4"]

    @classmethod
    def identity(cls) -> "Rotation":
        return cls(jnp.array([1.0, 0.0, 0.0, 0.0], jnp.float32))

    @classmethod
    def exp(cls, tangent: Float[Array, "3"]) -> "Rotation":
        """The rotation about `tangent` by its length."""
        squared = jnp.sum(tangent**2)
        small = squared < 1e-8
        angle = jnp.sqrt(jnp.where(small, 1.0, squared))
        real = jnp.where(small, 1.0 - squared / 8, jnp.cos(angle / 2))
        factor = jnp.where(small, 0.5 - squared / 48, jnp.sin(angle / 2) / angle)
        return cls(jnp.concatenate([real[None], factor * tangent]))

    def normalize(self) -> "Rotation":
        return Rotation(self.wxyz / jnp.linalg.norm(self.wxyz))

    def inverse(self) -> "Rotation":
        sign = jnp.array([1, -1, -1, -1], self.wxyz.dtype)
        return Rotation(self.wxyz * sign)

    def __matmul__(self, other: "Rotation") -> "Rotation":
        w1, x1, y1, z1 = self.wxyz
        w2, x2, y2, z2 = other.wxyz
        return Rotation(
            jnp.stack(
                [
                    w1 * w2 - x1 * x2 - y1 * y2 - z1 * z2,
                    w1 * x2 + x1 * w2 + y1 * z2 - z1 * y2,
                    w1 * y2 - x1 * z2 + y1 * w2 + z1 * x2,
                    w1 * z2 + x1 * y2 - y1 * x2 + z1 * w2,
                ]
            )
        )

    def apply(self, point: Float[Array, "3"]) -> Float[Array, "3"]:
        """The rotated point."""
        w, v = self.wxyz[0], self.wxyz[1:]
        t = 2 * jnp.cross(v, point)
        return point + w * t + jnp.cross(v, t)

    def as_matrix(self) -> Float[Array, "3 3"]:
        return jax.vmap(self.apply, out_axes=1)(jnp.eye(3, dtype=self.wxyz.dtype))
