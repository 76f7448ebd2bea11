"""A camera, as multi-view geometry has it."""

from typing import Literal

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from scaffold.skeleton import Pytree, buffer, data, static, test


@test(sizes={"height": 7, "width": 5})
class Camera(Pytree, save=True):
    """Where a camera stands, and how it maps points of the world to pixels."""

    rotation: Float[Array, "3 3"] = data()
    """Axes of the camera, a row each"""
    place: Float[Array, " 3"] = data()
    focal: Float[Array, " 2"] = data("full(1.5)")
    centre: Float[Array, " 2"] = data("zeros")
    bend: Float[Array, " 2"] | None = data("full(0.05)", optional="distorted")
    """Factors of the second and the fourth power of the radius"""
    broken: Bool[Array, "height width"] = buffer()
    """Pixels that see nothing"""
    lens: Literal["pinhole", "fisheye"] = static("pinhole")
    near: float = static(0.1, check=lambda near: near > 0)
    """The least depth that is seen"""

    def __call__(self, points: Float[Array, "n 3"]) -> Float[Array, "n 2"]:
        """The pixels at which points of the world are seen."""
        seen = (points - self.place) @ self.rotation.T
        depth = jnp.maximum(seen[:, 2:], self.near)
        flat = seen[:, :2] / depth
        if self.lens == "fisheye":
            radius = jnp.sqrt(jnp.sum(flat**2, axis=1, keepdims=True) + 1e-6)
            flat = flat * jnp.arctan(radius) / radius
        if self.bend is not None:
            square = jnp.sum(flat**2, axis=1, keepdims=True)
            flat = flat * (1 + self.bend[0] * square + self.bend[1] * square**2)
        return self.focal * flat + self.centre

    def visible(self, points: Float[Array, "n 3"], *, strict: bool = False) -> Bool[Array, " n"]:
        """Which points lie before the camera, and on a pixel that sees where `strict`."""
        depth = (points - self.place) @ self.rotation[2]
        front = depth > self.near
        if not strict:
            return front
        height, width = self.broken.shape
        column, row = jnp.floor(self(points)).astype(jnp.int32).T
        inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
        row, column = jnp.clip(row, 0, height - 1), jnp.clip(column, 0, width - 1)
        return front & inside & ~self.broken[row, column]

    def rays(self, pixels: Float[Array, "n 2"]) -> Float[Array, "n 3"]:
        """The directions in the world, of length 1, in which an ideal lens sees pixels."""
        flat = (pixels - self.centre) / self.focal
        ahead = jnp.concatenate([flat, jnp.ones_like(flat[:, :1])], axis=1)
        ahead = ahead / jnp.linalg.norm(ahead, axis=1, keepdims=True)
        return ahead @ self.rotation

    def moved(self, shift: Float[Array, " 3"], *, own: bool = False) -> "Camera":
        """The camera at another place; the shift is along the axes of the camera where `own`."""
        shift = self.rotation.T @ shift if own else shift
        return Camera(
            self.rotation,
            self.place + shift,
            self.focal,
            self.centre,
            self.bend,
            self.broken,
            self.lens,
            self.near,
        )
