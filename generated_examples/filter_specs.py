"""Filter specs: which leaves of a tree are trained."""

from typing import Any, TypeVar

import jax
import jax.numpy as jnp

_Node = TypeVar("_Node")


def trained_fields(node: _Node, but: tuple[str, ...] = ()) -> _Node:
    """True at each trained array of `node`, False at every other leaf, and at all that
    lies in the fields named in `but`.

    What is in a field and has a `trainable()` of its own answers for itself.
    """

    def of_field(path: Any, value: Any) -> Any:
        if path[0].name in but:
            return jax.tree.map(lambda _: False, value)
        return jax.tree.map(_trained, value, is_leaf=_answers)

    return jax.tree_util.tree_map_with_path(
        of_field, node, is_leaf=lambda value: value is not node
    )


def _answers(node: Any) -> bool:
    return callable(getattr(node, "trainable", None))


def _trained(node: Any) -> Any:
    if _answers(node):
        return node.trainable()
    return hasattr(node, "dtype") and jnp.issubdtype(node.dtype, jnp.inexact)
