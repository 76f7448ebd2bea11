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
class Calibration:
    """Gains and offsets of the channels of an instrument, and which channels count."""

    gains: Float[Array, " channels"]
    offsets: Float[Array, " channels"]
    mask: Bool[Array, " channels"]

    @classmethod
    def create(
        cls, mask: Bool[ArrayLike, " channels"], dtype: DTypeLike | None = None
    ) -> "Calibration":
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
        """The calibrated readings; those of the other channels stay as they are."""
        return jnp.where(self.mask, self.gains * x + self.offsets, x)

    def trainable(self) -> "Calibration":
        """Filter spec by field: True at each trained array, False at every other leaf."""
        return jax.tree_util.tree_map_with_path(
            lambda path, _: path[0].name not in ("mask",), self
        )


def _flatten(node: Calibration) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    return (node.gains, node.offsets, node.mask), ()


def _flatten_with_keys(
    node: Calibration,
) -> tuple[tuple[tuple[Any, Any], ...], tuple[Any, ...]]:
    return (
        (GetAttrKey("gains"), node.gains),
        (GetAttrKey("offsets"), node.offsets),
        (GetAttrKey("mask"), node.mask),
    ), ()


def _unflatten(aux: tuple[Any, ...], children: Iterable[Any]) -> Calibration:
    # Only stores: jax rebuilds with tracers, None or any other object as leaves.
    node = object.__new__(Calibration)
    fields = node.__dict__
    fields["gains"], fields["offsets"], fields["mask"] = children
    return node


jax.tree_util.register_pytree_with_keys(
    Calibration, _flatten_with_keys, _unflatten, _flatten
)
