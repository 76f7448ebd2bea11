"""Variables of a module by path, with their values and bits."""

import dataclasses
import pickle
from collections.abc import Callable, Iterator, Mapping, MutableMapping, MutableSequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx
from jax.core import Tracer

from ...engine.applicability import not_applicable
from ...inspect.arrays import aval, is_floating, is_inexact, is_key, on_device
from ...inspect.classes import is_of_library
from ...inspect.references import reachable, snapshot
from ...inspect.trees import attributes, clone_as, look_up, one_level, path_name, remade


@dataclasses.dataclass(frozen=True)
class Var:
    """A declared Variable: its path such as `layers.0.kernel`, type, shape and dtype.

    The type `nnx.Module` declares a sub-module, which decides itself what it holds. With `below`, any number
    of Variables of the type lie under the path. A shape of None is not checked. The dtype `float` is the
    default float dtype. `value` is the value of each element after construction. `std` is the standard
    deviation with which the constructor draws the elements. `unused` says that the example call does not
    depend on all elements. `flows` says that gradients flow through a Variable that is no parameter: data, or
    what the call updates.
    """

    path: str
    type: type
    shape: tuple[int, ...] | None = None
    dtype: str = "float"
    below: bool = False
    value: complex | None = None
    std: float | None = None
    unused: bool = False
    flows: bool = False

    frozen = False

    @property
    def role(self) -> str:
        """Return the role of a leaf for the Variable: data or buffer for a non-parameter, by `flows`."""
        if self.type is nnx.Module:
            return "module"
        if issubclass(self.type, nnx.Param):
            return "param"
        return "data" if self.flows else "buffer"

    @property
    def word(self) -> str:
        """Return the name of the type for messages."""
        return self.type.__name__

    @property
    def is_tree(self) -> bool:
        return self.below or self.type is nnx.Module


def has_keys(state: Any) -> bool:
    """Whether a state holds keys, or abstract arrays with the dtype of keys."""
    dtypes = [getattr(leaf, "dtype", None) for leaf in jax.tree.leaves(state)]
    return any(jnp.issubdtype(dtype, jax.dtypes.prng_key) for dtype in dtypes if dtype is not None)


def zeros_like(leaf: Any) -> Any:
    """Replace a `jax.ShapeDtypeStruct` by zeros, and return any other leaf as it is."""
    is_abstract = isinstance(leaf, jax.ShapeDtypeStruct)
    return on_device(np.zeros(leaf.shape, leaf.dtype)) if is_abstract else leaf


OBJECTS: Any = getattr(nnx, "Pytree", nnx.Module)
"""Base class of what holds Variables and changes in place. Flax before 0.12 has only modules of this sort."""


def variables_of(tree: Any) -> dict[str, Any]:
    """Return the Variables of a module or a state by path. A plain array stands for itself."""
    state = nnx.state(tree) if isinstance(tree, OBJECTS) else tree
    return {".".join(map(str, path)): leaf for path, leaf in nnx.to_flat_state(state)}


def value_of(variable: Any) -> Any:
    return variable.get_value() if isinstance(variable, nnx.Variable) else variable


def with_value(variable: Any, value: Any) -> Any:
    """Return a Variable, or a plain array in its place, with another value."""
    return variable.replace(value) if isinstance(variable, nnx.Variable) else value


def with_values(state: Any, values: Mapping[str, Any]) -> Any:
    """Return a state with other values by path."""
    flat = nnx.to_flat_state(state)
    parts = {path: with_value(part, values[".".join(map(str, path))]) for path, part in flat}
    return nnx.from_flat_state(parts)


def values_of(tree: Any) -> dict[str, Any]:
    """Return the values of Variables that hold one array or number, by path.

    The laws ask for no part of a tuple.
    """
    values = {path: value_of(variable) for path, variable in variables_of(tree).items()}
    return {path: value for path, value in values.items() if jax.tree_util.all_leaves([value])}


def bits_of(tree: Any) -> dict[str, Any]:
    """Return type and value of each Variable, for comparison with `==`."""
    pairs = variables_of(tree).items()
    return {path: (type(variable), snapshot(value_of(variable))) for path, variable in pairs}


def to_tree(module: Any) -> tuple[Any, Callable[[Any], Any]]:
    """Return the state of a module, and a function from a state to a new module."""
    graphdef, state = nnx.split(module)
    return state, lambda tree: nnx.merge(graphdef, tree, copy=True)


def form_of(module: Any) -> tuple[Any, dict[str, Any]]:
    """Return what a trace depends on: the graph definition, and the aval of each Variable."""
    return nnx.graphdef(module), {path: aval(value) for path, value in values_of(module).items()}


def copy_of(module: Any) -> Any:
    return nnx.merge(*nnx.split(module), copy=True)


def replace_values(module: Any, path: str, value: Any) -> Any:
    """Copy the module with one value replaced."""
    edited = copy_of(module)
    assign(edited, {path: value})
    return edited


def assign(module: Any, values: Mapping[str, Any]) -> None:
    """Assign other values to Variables by path, and replace plain arrays where the module holds them."""
    variables = variables_of(module)
    for path, value in values.items():
        if is_variable(variables[path]):
            variables[path].set_value(value)
        else:
            _set_at(module, path, value)


def _set_at(module: Any, path: str, value: Any) -> None:
    """Set a value at a path.

    A node whose children have no names is rebuilt, such as a tuple or a registered class.
    """
    above, _, name = path.rpartition(".")
    node = look_up(module, above) if above else module
    if isinstance(node, MutableMapping):
        node[next(key for key in node if str(key) == name)] = value
        return None
    if not name.isdigit():
        if isinstance(node, nnx.Pytree):
            return setattr(node, name, value)
        return _set_at(module, above, clone_as(type(node), node, **{name: value}))
    if isinstance(node, MutableSequence):
        node[int(name)] = value
        return None
    children, treedef = jax.tree.flatten(node, is_leaf=lambda child: child is not node)
    children[int(name)] = value
    return _set_at(module, above, jax.tree.unflatten(treedef, children))


def is_variable(node: Any) -> bool:
    return isinstance(node, nnx.Variable)


def is_of_nnx(value: Any) -> bool:
    members = value if isinstance(value, list | tuple) else [value]
    return any(isinstance(member, nnx.Pytree | nnx.Variable) for member in members)


def is_differentiable(_: Any, variable: Any) -> bool:
    return is_inexact(value_of(variable))


def own_nodes(module: Any) -> Iterator[tuple[str, Any]]:
    """Yield the module and the modules, lists and dicts in it, without layers of Flax."""
    for path, node in nnx.iter_graph(module):
        ours = not is_of_library(type(node)) or isinstance(node, nnx.List | nnx.Dict)
        if isinstance(node, nnx.Pytree) and ours:
            yield ".".join(map(str, path)), node


def pickled(module: Any) -> Any:
    if any(map(is_key, values_of(module).values())):
        pytest.skip("it holds typed keys, which jax does not pickle")
    return pickle.loads(pickle.dumps(module))


def variable_types(variables: Mapping[str, Any]) -> list[type]:
    """List the types of Variables, with `nnx.Param` among them."""
    kinds = {type(variable) for variable in variables.values() if is_variable(variable)} | {nnx.Param}
    return sorted(kinds, key=lambda kind: kind.__name__)


def outside(module: Any) -> Iterator[tuple[str, Any]]:
    """Yield places and values that a module refers to outside of its state."""
    return reachable(module, type(module).__name__, [*variables_of(module).values()])


def placed_variables(module: Any) -> list[tuple[str, Any]]:
    """List every Variable under each of its paths, whereas `nnx.state` lists each Variable once.

    Streams of keys are left out, since parts share them.
    """
    if one_level(module) is None:
        not_applicable("the class is no pytree")
    pairs = jax.tree_util.tree_leaves_with_path(module, is_leaf=is_variable)
    variables = ((path_name(path), variable) for path, variable in pairs if is_variable(variable))
    return [pair for pair in variables if not isinstance(pair[1], nnx.RngState)]


def round_trips(module: Any) -> Iterator[tuple[str, Any]]:
    """Yield the module rebuilt in each way, with the name of that way."""
    yield "nnx.split and nnx.merge", copy_of(module)
    # Else it was made with pytree=False, or holds a Variable twice.
    if one_level(module) is not None and len(jax.tree.leaves(module)) == len(values_of(module)):
        yield "flatten and unflatten", remade(module)


def streams_given(inputs: Mapping[str, Any]) -> list[Any]:
    """List the streams of keys among the inputs of a constructor."""
    rngs = [value for value in inputs.values() if isinstance(value, nnx.Rngs)]
    return [stream for each in rngs for stream in variables_of(nnx.state(each)).values()]


def retyped(module: Any) -> Iterator[tuple[str, Any]]:
    """Yield copies of a module with a Variable of another type at a path, with that path."""
    other = type("Other", (nnx.Variable,), {})
    for place, node in own_nodes(module):
        for name, variable in attributes(node).items():
            if is_variable(variable):
                edited = copy_of(module)
                setattr(look_up(edited, place) if place else edited, name, other(value_of(variable)))
                yield f"{place}.{name}".lstrip("."), edited


def wrong_states(state: Any) -> Mapping[str, Any]:
    """Return states with other paths, types, shapes or dtypes, by the fault that each has."""
    flat = dict(nnx.to_flat_state(state))
    if not flat:
        return {"an unknown path": nnx.State({"unknown": nnx.Variable(on_device(np.zeros(3, np.float32)))})}
    *_, (path, last) = flat.items()  # the last, so that others come first
    less = {p: v for p, v in flat.items() if p != path}
    other = type("Other", (nnx.Variable,), {})
    wrong = {
        "a path left out": less,
        "an unknown path": {**flat, ("unknown",): last},
        "a renamed path": {**less, (*path[:-1], "unknown"): last},
        "another shape": {**flat, path: with_value(last, on_device(np.zeros((7, 7, 7), np.float32)))},
        "another type": {**flat, path: other(value_of(last))},
    }
    floats = [(p, v) for p, v in flat.items() if is_floating(value_of(v))]
    for at, variable in floats[-1:]:
        narrow = on_device(np.asarray(value_of(variable)).astype(np.float16))
        wrong["another dtype"] = {**flat, at: with_value(variable, narrow)}
    return {fault: nnx.from_flat_state(parts) for fault, parts in wrong.items()}


def tracers_beside_the_state(module: Any) -> list[str]:
    """List the places of tracers that a module holds outside of its Variables."""
    stop = [*variables_of(module).values()]
    for _, node in nnx.iter_graph(module):
        stop.append(getattr(node, "_pytree__state", None))  # it knows its own trace
    parts = reachable(module, type(module).__name__, stop)
    return [place for place, value in parts if isinstance(value, Tracer)]
