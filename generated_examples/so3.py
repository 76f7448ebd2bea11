import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, ArrayLike, Float


def _real(value: ArrayLike) -> Array:
    """A copy that keeps the dtype of floats; other numbers take jax's default one."""
    held = jnp.result_type(*jax.tree.leaves(value))  # of a list, too
    if jnp.issubdtype(held, jnp.complexfloating):
        raise TypeError(f"real numbers are declared, got {held}")
    is_float = jnp.issubdtype(held, jnp.floating)
    return jnp.array(value, held if is_float else jnp.result_type(float))


class SO3(eqx.Module):
    """A rotation of space."""

    matrix: Float[Array, "3 3"]

    @classmethod
    def create(cls, matrix: Float[ArrayLike, "3 3"]) -> "SO3":
        """Build an instance.

        **Arguments:**

        - `matrix`: The rotation matrix.
        """
        return cls(
            matrix=_real(matrix),
        )

    @classmethod
    def identity(cls) -> "SO3":
        """The rotation that moves nothing."""
        return cls.create(jnp.eye(3))

    @classmethod
    def exp(cls, tangent: Float[Array, " 3"]) -> "SO3":
        """The rotation about the axis `tangent`, by its length."""
        angle2 = jnp.sum(tangent**2)
        is_small = angle2 < 1e-6
        safe = jnp.where(is_small, 1.0, angle2)
        angle = jnp.sqrt(safe)
        first = jnp.where(is_small, 1 - angle2 / 6, jnp.sin(angle) / angle)
        second = jnp.where(is_small, 0.5 - angle2 / 24, (1 - jnp.cos(angle)) / safe)
        hat = jnp.cross(jnp.eye(3, dtype=tangent.dtype), tangent)
        return cls.create(
            jnp.eye(3, dtype=tangent.dtype) + first * hat + second * hat @ hat
        )

    def log(self) -> Float[Array, " 3"]:
        """The tangent vector of which this is the exponential; for angles below pi."""
        skew = (self.matrix - self.matrix.T) / 2
        axis = jnp.stack([skew[2, 1], skew[0, 2], skew[1, 0]])
        sine2 = jnp.sum(axis**2)
        is_small = sine2 < 1e-6
        sine = jnp.sqrt(jnp.where(is_small, 1.0, sine2))
        angle = jnp.arctan2(sine, (jnp.trace(self.matrix) - 1) / 2)
        return jnp.where(is_small, 1 + sine2 / 6, angle / sine) * axis

    def inverse(self) -> "SO3":
        """The rotation back."""
        return SO3(self.matrix.T)

    def __matmul__(self, other: "SO3") -> "SO3":
        """This rotation after `other`."""
        return SO3(self.matrix @ other.matrix)

    def apply(self, point: Float[Array, " 3"]) -> Float[Array, " 3"]:
        """The point, rotated."""
        return self.matrix @ point
