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


class SplitParamsNestedSmall(eqx.Module):
    """The group `small` of `SplitParamsNested`: `element1` and `element2`."""

    element1: Float[Array, ""]
    element2: Float[Array, ""]


class SplitParamsNested(eqx.Module):
    """A parabola with three coefficients of one type, two of which are fitted together.

    These two are a child of their own: to select them is to select `small`.
    """

    small: SplitParamsNestedSmall
    element3: Float[Array, ""]

    @classmethod
    def create(
        cls,
        element1: Float[ArrayLike, ""],
        element2: Float[ArrayLike, ""],
        element3: Float[ArrayLike, ""],
    ) -> "SplitParamsNested":
        """Build an instance.

        **Arguments:**

        - `element1`: Coefficient of the square.
        - `element2`: Coefficient of the line.
        - `element3`: Constant.
        """
        return cls(
            small=SplitParamsNestedSmall(
                element1=_real(element1),
                element2=_real(element2),
            ),
            element3=_real(element3),
        )

    @property
    def element1(self) -> Float[Array, ""]:
        """`element1` of `small`."""
        return self.small.element1

    @property
    def element2(self) -> Float[Array, ""]:
        """`element2` of `small`."""
        return self.small.element2

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        return (self.small.element1 * x + self.small.element2) * x + self.element3

    def select_small(self) -> "SplitParamsNested":
        """Filter spec: True at each leaf of `element1` and `element2`, False at every
        other.
        """
        return jax.tree_util.tree_map_with_path(
            lambda path, _: path[0].name == "small", self
        )

    def partition_small(self) -> tuple["SplitParamsNested", "SplitParamsNested"]:
        """The leaves of `element1` and `element2`, and the rest, with None in the gaps;
        `eqx.combine` puts them together.
        """
        return eqx.partition(self, self.select_small())
