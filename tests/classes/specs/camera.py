import math

import jax.numpy as jnp
from jaxtyping import Array, Float

from scaffold.skeleton import Module, data, test


@test(skip=["p07_equal_arguments: a point without depth is seen nowhere"])
class Camera(Module):
    """A pinhole camera that looks along the third axis."""

    intrinsics: Float[Array, "3 3"] = data()
    """Focal lengths and the principal point, in pixels"""

    @classmethod
    def identity(cls) -> "Camera":
        """The camera of normalised coordinates."""
        return cls.create(jnp.eye(3))

    @classmethod
    def from_intrinsics(cls, fx: float, fy: float, cx: float, cy: float) -> "Camera":
        """The camera with these focal lengths and this principal point."""
        return cls.create(jnp.array([[fx, 0.0, cx], [0.0, fy, cy], [0.0, 0.0, 1.0]]))

    @classmethod
    def from_field_of_view(cls, angle: float, width: int, height: int) -> "Camera":
        """The camera that sees this angle from left to right, in radians."""
        focal = width / (2 * math.tan(angle / 2))
        return cls.from_intrinsics(focal, focal, width / 2, height / 2)

    def project(self, point: Float[Array, " 3"]) -> Float[Array, " 2"]:
        """Where a point is seen."""
        image = self.intrinsics @ point
        return image[:2] / image[2]

    def unproject(self, pixel: Float[Array, " 2"], depth: Float[Array, ""]) -> Float[Array, " 3"]:
        """The point at this depth that is seen there."""
        focal = jnp.stack([self.intrinsics[0, 0], self.intrinsics[1, 1]])
        plane = (pixel - self.intrinsics[:2, 2]) / focal
        return depth * jnp.append(plane, jnp.ones((), plane.dtype))
