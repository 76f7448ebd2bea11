"""Which leaves weight decay moves: a mask for optax, and the filter specs that it is made of."""

from typing import Any, TypeVar

import jax
import jax.numpy as jnp

_Node = TypeVar("_Node")


def decayed(tree: _Node) -> _Node:
    """True at each array of the weights `tree` that weight decay moves: a mask for optax.

    `optax.adamw(1e-3, weight_decay=0.1, mask=decayed)` calls it with the weights that it
    is given. What has a `decayed()` of its own answers for itself.
    """
    return jax.tree.map(_answer, tree, is_leaf=_answers)


def decayed_fields(node: _Node, trained: _Node, but: tuple[str, ...]) -> _Node:
    """`trained`, the filter spec of `node`, without all that lies in the fields named in `but`.

    What is in a field and has a `decayed()` of its own answers for what is trained of it.
    """

    def of_field(path: Any, value: Any, spec: Any) -> Any:
        if path[0].name in but:
            return jax.tree.map(lambda _: False, spec)
        moved = jax.tree.map(
            lambda part, own: part.decayed() if _answers(part) else own,
            value,
            spec,
            is_leaf=_answers,
        )
        return jax.tree.map(lambda *of_leaf: all(of_leaf), spec, moved)

    return jax.tree_util.tree_map_with_path(
        of_field, node, trained, is_leaf=lambda value: value is not node
    )


def _answers(node: Any) -> bool:
    return hasattr(node, "decayed")


def _answer(node: Any) -> Any:
    if _answers(node):
        return node.decayed()
    return hasattr(node, "dtype") and jnp.issubdtype(node.dtype, jnp.inexact)
