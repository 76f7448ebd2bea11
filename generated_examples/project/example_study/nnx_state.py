"""The state of NNX modules: maps by the type of Variables, and a restore by path."""

from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx


def map_variables(
    functions: Mapping[type[nnx.Variable[Any]], Callable[[Any], Any]],
    tree: nnx.Module | nnx.State,
) -> nnx.State:
    """A new state, with `functions[kind]` applied to the value of each Variable of type
    `kind`. The nearest base class decides; where none is named, the value is kept.

    `tree` is a module or a state, and stays as it is.
    """

    def mapped(node: Any) -> Any:
        if not isinstance(node, nnx.Variable):
            return node
        value = node.get_value()
        kind = next((kind for kind in type(node).__mro__ if kind in functions), None)
        return node.replace(value if kind is None else functions[kind](value))

    # Variables are nodes, not leaves: without `is_leaf` the map goes past them.
    state = nnx.state(tree) if isinstance(tree, nnx.Module) else tree
    return jax.tree.map(
        mapped, state, is_leaf=lambda node: isinstance(node, nnx.Variable)
    )


def restore_state(module: nnx.Module, state: nnx.State) -> None:
    """Give `module` the values of `state`, by path.

    **Raises:**

    - `ValueError` unless `state` has the same paths, and at each the same type of
        Variable, shape and dtype. `nnx.update` adds unknown paths to the module, and
        `nnx.merge` goes by position.
    """
    here, there = _layout(nnx.state(module)), _layout(state)
    wrong = [path for path in {**here, **there} if here.get(path) != there.get(path)]
    if wrong:
        path = wrong[0]
        raise ValueError(
            f"the state does not fit at {path}: it has {there.get(path)}, "
            f"the module has {here.get(path)}"
        )
    nnx.update(module, state)


def _layout(state: nnx.State) -> dict[Any, Any]:
    return {
        path: (type(leaf), jnp.shape(leaf), leaf.dtype)
        for path, leaf in nnx.to_flat_state(state)
    }
