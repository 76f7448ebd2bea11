"""Single layers of an instance that holds several, with an axis of layers first in each array."""

from typing import Any

import jax

from ..inspect.arrays import is_array


def unstacked(stacked: Any) -> list[Any]:
    """The layers one by one; what is no array is the same in all of them.

    Raises ValueError for an instance without arrays, which has no number of layers.
    """
    leaves, treedef = jax.tree.flatten(stacked)
    sizes = {leaf.shape[0] for leaf in leaves if is_array(leaf)}
    if len(sizes) != 1:
        raise ValueError(f"stacked layers have arrays with one first axis, got sizes {sorted(sizes)}")
    return [
        jax.tree.unflatten(treedef, [leaf[i] if is_array(leaf) else leaf for leaf in leaves])
        for i in range(sizes.pop())
    ]
