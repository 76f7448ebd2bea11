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


class SplitParams(eqx.Module):
    """A parabola with three coefficients of one type, two of which are fitted together.

    The group is selected by field, so that it is right for equal values, for copies,
    and inside jit.
    """

    element1: Float[Array, ""]
    element2: Float[Array, ""]
    element3: Float[Array, ""]

    @classmethod
    def create(
        cls,
        element1: Float[ArrayLike, ""],
        element2: Float[ArrayLike, ""],
        element3: Float[ArrayLike, ""],
    ) -> "SplitParams":
        """Build an instance.

        **Arguments:**

        - `element1`: Coefficient of the square.
        - `element2`: Coefficient of the line.
        - `element3`: Constant.
        """
        return cls(
            element1=_real(element1),
            element2=_real(element2),
            element3=_real(element3),
        )

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        return (self.element1 * x + self.element2) * x + self.element3

    def select_small(self) -> "SplitParams":
        """Filter spec: True at each leaf of `element1` and `element2`, False at every
        other.
        """
        return jax.tree_util.tree_map_with_path(
            lambda path, _: path[0].name in ("element1", "element2"), self
        )

    def partition_small(self) -> tuple["SplitParams", "SplitParams"]:
        """The leaves of `element1` and `element2`, and the rest, with None in the gaps;
        `eqx.combine` puts them together.
        """
        return eqx.partition(self, self.select_small())
