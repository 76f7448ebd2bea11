"""Training states as named leaves, for pytrees and for objects of Flax NNX."""

import re
import sys
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from ..inspect.arrays import is_array, is_key, raw
from ..inspect.trees import attributes, flatten, named_leaves, nodes
from ..report import ANY_ERROR

Rebuild = Callable[[list[Any]], Any]


class Opened(NamedTuple):
    """Leaves of a state by path, and a function that rebuilds the state."""

    leaves: dict[str, Any]
    rebuild: Rebuild

    def arrays(self) -> dict[str, Any]:
        """Return the arrays among the leaves."""
        return {name: leaf for name, leaf in self.leaves.items() if is_array(leaf)}

    def copied(self) -> Any:
        """Rebuild the state with copies of its arrays."""
        return self.rebuild([jnp.copy(v) if is_array(v) else v for v in self.leaves.values()])


def opened(state: Any) -> Opened:
    """Open a state. An NNX graph is first split into a pure state."""
    nnx: Any = sys.modules.get("flax.nnx")
    if nnx is None or not _holds_graph(nnx, state):
        _, treedef = flatten(state)
        return Opened(dict(named_leaves(state)), treedef.unflatten)
    graph, pure = nnx.split(state)
    leaves, treedef = flatten(pure)
    names = [name.removesuffix(".value") for name, _ in named_leaves(pure)]
    return Opened(
        dict(zip(names, leaves, strict=True)), lambda values: nnx.merge(graph, treedef.unflatten(values))
    )


def _holds_graph(nnx: Any, state: Any) -> bool:
    def is_graph(value: Any) -> bool:
        return isinstance(value, nnx.Module | nnx.Optimizer | nnx.Variable)

    return any(map(is_graph, jax.tree.leaves(state, is_leaf=is_graph)))


def signature(state: Any) -> dict[str, str]:
    """Describe by path what compilation distinguishes: shape, dtype, weak type and devices, or a value."""
    return {name: _kind(leaf) for name, leaf in opened(state).leaves.items()}


def _kind(leaf: Any) -> str:
    if not is_array(leaf) and not is_number(leaf):
        return f"{type(leaf).__name__} {shown(leaf)}"
    aval: Any = jax.typeof(leaf)
    if is_key(leaf):
        return str(aval)
    weak = " (weakly typed)" if aval.weak_type else ""
    devices = getattr(getattr(leaf, "sharding", None), "device_set", ())
    where = f" on {len(devices)} devices" if len(devices) > 1 else ""
    return f"{aval.dtype.name}[{','.join(map(str, aval.shape))}]{weak}{where}"


def values(state: Any) -> dict[str, np.ndarray]:
    """Return the arrays and numbers of a state in NumPy, by path."""
    return {n: raw(v) for n, v in opened(state).leaves.items() if is_array(v) or is_number(v)}


def is_number(leaf: Any) -> bool:
    """Whether a leaf is a Python number, which `jax.jit` takes as an array."""
    return isinstance(leaf, bool | int | float | complex)


def static_differences(previous: Any, other: Any) -> dict[str, str]:
    """Describe the Python values that differ between two states, by path: leaves, and fields of nodes."""
    pairs = dict(opened(previous).leaves), dict(opened(other).leaves)
    plain = [{n: v for n, v in leaves.items() if not is_array(v)} for leaves in pairs]
    fields = [_static_fields(state) for state in (previous, other)]
    before, after = ({**a, **b} for a, b in zip(plain, fields, strict=True))
    names = [name for name in before.keys() & after.keys() if not _equal(before[name], after[name])]
    texts = {name: (shown(after[name]), shown(before[name])) for name in names}
    return {
        n: f"it is {now}, and was {was}" if now != was else f"it is another {now}"
        for n, (now, was) in texts.items()
    }


def _static_fields(state: Any) -> Mapping[str, Any]:
    """Return the attributes of nodes that are not children, which jax holds in the treedef."""
    fields: dict[str, Any] = {}
    for where, node, _ in nodes(state):
        children = set(map(id, jax.tree.leaves(node)))
        for name, value in attributes(node).items():
            is_static = children.isdisjoint(map(id, jax.tree.leaves(value)))
            if is_static and not name.startswith("_") and not is_array(value):
                fields[f"{where}.{name}"] = value
    return fields


def _equal(value: Any, other: Any) -> bool:
    try:
        return bool(value == other)
    except ANY_ERROR:  # what cannot be compared is not the same
        return value is other


def shown(value: Any) -> str:
    """Return the text of a value without addresses of objects."""
    return f"{re.sub(' at 0x[0-9a-f]+', '', repr(value)):.80}"
