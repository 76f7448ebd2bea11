from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
from jax.tree_util import GetAttrKey
from jax.typing import DTypeLike
from jaxtyping import Array, ArrayLike, Bool, Float


@final
@dataclass(frozen=True, eq=False)
class SplitTable:
    """Offsets and gains of the channels of an instrument; the gains are fitted first."""

    gains: Float[Array, " channels"]
    offsets: Float[Array, " channels"]
    mask: Bool[Array, " channels"]

    @classmethod
    def create(
        cls, mask: Bool[ArrayLike, " channels"], dtype: DTypeLike | None = None
    ) -> "SplitTable":
        """Build an instance.

        **Arguments:**

        - `mask`: Which channels count.
        """
        (channels,) = np.shape(mask)
        dtype = jnp.result_type(float) if dtype is None else dtype
        return cls(
            gains=jnp.ones((channels,), dtype),
            offsets=jnp.zeros((channels,), dtype),
            mask=jnp.array(mask, jnp.bool_),
        )

    def __call__(self, x: Float[Array, " channels"]) -> Float[Array, " channels"]:
        return jnp.where(self.mask, self.gains * x + self.offsets, x)

    def trainable(self) -> "SplitTable":
        """Filter spec by field: True at each trained array, False at every other leaf."""
        return jax.tree_util.tree_map_with_path(
            lambda path, _: path[0].name not in ("mask",), self
        )

    def select_first(self) -> "SplitTable":
        """Filter spec: True at each leaf of `gains`, False at every other."""
        return jax.tree_util.tree_map_with_path(
            lambda path, _: path[0].name in ("gains",), self
        )

    def partition_first(self) -> tuple["SplitTable", "SplitTable"]:
        """The leaves of `gains`, and the rest, with None in the gaps; `combine` puts
        them together.
        """
        spec = self.select_first()
        return (
            jax.tree.map(lambda leaf, kept: leaf if kept else None, self, spec),
            jax.tree.map(lambda leaf, kept: None if kept else leaf, self, spec),
        )

    def select_second(self) -> "SplitTable":
        """Filter spec: True at each leaf of `offsets` and `mask`, False at every other."""
        return jax.tree_util.tree_map_with_path(
            lambda path, _: path[0].name in ("offsets", "mask"), self
        )

    def partition_second(self) -> tuple["SplitTable", "SplitTable"]:
        """The leaves of `offsets` and `mask`, and the rest, with None in the gaps;
        `combine` puts them together.
        """
        spec = self.select_second()
        return (
            jax.tree.map(lambda leaf, kept: leaf if kept else None, self, spec),
            jax.tree.map(lambda leaf, kept: None if kept else leaf, self, spec),
        )

    def combine(self, rest: "SplitTable") -> "SplitTable":
        """Both parts of a partition as one: each leaf from the part that has it."""
        return jax.tree.map(
            lambda one, other: other if one is None else one,
            self,
            rest,
            is_leaf=lambda leaf: leaf is None,
        )


def _flatten(node: SplitTable) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    return (node.gains, node.offsets, node.mask), ()


def _flatten_with_keys(
    node: SplitTable,
) -> tuple[tuple[tuple[Any, Any], ...], tuple[Any, ...]]:
    return (
        (GetAttrKey("gains"), node.gains),
        (GetAttrKey("offsets"), node.offsets),
        (GetAttrKey("mask"), node.mask),
    ), ()


def _unflatten(aux: tuple[Any, ...], children: Iterable[Any]) -> SplitTable:
    # Only stores: jax rebuilds with tracers, None or any other object as leaves.
    node = object.__new__(SplitTable)
    fields = node.__dict__
    fields["gains"], fields["offsets"], fields["mask"] = children
    return node


jax.tree_util.register_pytree_with_keys(
    SplitTable, _flatten_with_keys, _unflatten, _flatten
)
