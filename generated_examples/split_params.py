import equinox as eqx
import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, ArrayLike, Float


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
        dtype: DTypeLike | None = None,
    ) -> "SplitParams":
        """Build an instance.

        **Arguments:**

        - `element1`: Coefficient of the square.
        - `element2`: Coefficient of the line.
        - `element3`: Constant.
        """
        dtype = jnp.result_type(float) if dtype is None else dtype
        return cls(
            element1=jnp.array(element1, dtype),
            element2=jnp.array(element2, dtype),
            element3=jnp.array(element3, dtype),
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
