import equinox as eqx
import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, ArrayLike, Float


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
        dtype: DTypeLike | None = None,
    ) -> "SplitParamsNested":
        """Build an instance.

        **Arguments:**

        - `element1`: Coefficient of the square.
        - `element2`: Coefficient of the line.
        - `element3`: Constant.
        """
        dtype = jnp.result_type(float) if dtype is None else dtype
        return cls(
            small=SplitParamsNestedSmall(
                element1=jnp.array(element1, dtype),
                element2=jnp.array(element2, dtype),
            ),
            element3=jnp.array(element3, dtype),
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
