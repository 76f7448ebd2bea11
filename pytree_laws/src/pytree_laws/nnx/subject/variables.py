"""Variables: of a module by path, their values and bits; modules and their settings."""

import dataclasses
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx
from jax.core import Tracer

from ...inspect.arrays import aval, is_floating, is_inexact, on_device
from ...inspect.classes import is_of_library, second_class
from ...inspect.references import reachable, snapshot
from ...inspect.trees import attributes, look_up, one_level
from ...report import ANY_ERROR, check
from ...values.closeness import close


@dataclasses.dataclass(frozen=True)
class Var:
    """A declared Variable: its path, written as `layers.0.kernel`, type, shape and dtype.

    The type `nnx.Module` declares a sub-module, which decides itself what it holds; with
    `below` any number of Variables of the type lie under the path. A shape of None is not
    checked; the dtype `float` is the default float dtype. `value` is what each element holds
    after construction, `std` the standard deviation with which the constructor draws them.
    `unused` says that the example call does not depend on all of its elements, `flows` that
    gradients flow through it, though it is no parameter: data, and what the call updates.
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

    @property
    def is_tree(self) -> bool:
        return self.below or self.type is nnx.Module


def has_keys(state: Any) -> bool:
    """Whether keys are among the leaves, or what has the shape and dtype of some."""
    dtypes = [getattr(leaf, "dtype", None) for leaf in jax.tree.leaves(state)]
    return any(jnp.issubdtype(dtype, jax.dtypes.prng_key) for dtype in dtypes if dtype is not None)


def zeros_like(leaf: Any) -> Any:
    """Zeros in the place of what has a shape and a dtype alone."""
    is_abstract = isinstance(leaf, jax.ShapeDtypeStruct)
    return on_device(np.zeros(leaf.shape, leaf.dtype)) if is_abstract else leaf


def variables_of(tree: Any) -> dict[str, Any]:
    """The Variables of a module or a state by path; a plain array stands for itself."""
    state = nnx.state(tree) if isinstance(tree, nnx.Module) else tree
    return {".".join(map(str, path)): leaf for path, leaf in nnx.to_flat_state(state)}


def value_of(variable: Any) -> Any:
    return variable.get_value() if isinstance(variable, nnx.Variable) else variable


def values_of(tree: Any) -> dict[str, Any]:
    return {path: value_of(variable) for path, variable in variables_of(tree).items()}


def bits_of(tree: Any) -> dict[str, Any]:
    """Type and value of each Variable, to compare with ==."""
    found = variables_of(tree).items()
    return {path: (type(one), snapshot(value_of(one))) for path, one in found}


def changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    paths = {**before, **after}
    return [path for path in paths if before.get(path) != after.get(path)]


def to_tree(module: Any) -> tuple[Any, Callable[[Any], Any]]:
    """The state of a module, and the way back from a state to a module of its own."""
    graphdef, state = nnx.split(module)
    return state, lambda tree: nnx.merge(graphdef, tree, copy=True)


def copy_of(module: Any) -> Any:
    return nnx.merge(*nnx.split(module), copy=True)


def replace_values(module: Any, path: str, value: Any) -> Any:
    """A copy of the module with one value replaced."""
    edited = copy_of(module)
    variables_of(edited)[path].set_value(value)
    return edited


def is_variable(node: Any) -> bool:
    return isinstance(node, nnx.Variable)


def is_float(variable: Any) -> bool:
    return is_floating(value_of(variable))


def is_of_nnx(value: Any) -> bool:
    held = value if isinstance(value, list | tuple) else [value]
    return any(isinstance(one, nnx.Pytree | nnx.Variable) for one in held)


def is_differentiable(_: Any, variable: Any) -> bool:
    return is_inexact(value_of(variable))


def own_nodes(module: Any) -> Iterator[tuple[str, Any]]:
    """The module and the modules, lists and dicts in it, without the modules of Flax."""
    for path, node in nnx.iter_graph(module):
        ours = not is_of_library(type(node)) or isinstance(node, nnx.List | nnx.Dict)
        if isinstance(node, nnx.Pytree) and ours:
            yield ".".join(map(str, path)), node


def settings_of(node: Any) -> dict[str, Any]:
    """The attributes of a module that are static: part of its graph definition."""
    data = {id(child) for child in (one_level(node) or ((), ()))[0]}
    own = "_" if is_of_library(type(node)) else "_pytree__"  # what Flax notes there
    return {
        name: value
        for name, value in attributes(node).items()
        if not (name.startswith(own) or id(value) in data or is_of_nnx(value))
    }


def all_settings(module: Any) -> dict[str, Any]:
    """The static attributes of the module and of what it holds, by path."""
    return {
        f"{place}.{name}".lstrip("."): value
        for place, node in own_nodes(module)
        for name, value in settings_of(node).items()
    }


def with_setting(module: Any, path: str, value: Any) -> Any:
    """A copy of the module with another value of a static attribute."""
    edited = copy_of(module)
    above, _, name = path.rpartition(".")
    setattr(look_up(edited, above) if above else edited, name, value)
    return edited


def functions_of(module: Any) -> list[Any]:
    """The functions that the module and all that it holds have as attributes."""
    held = (node for _, node in nnx.iter_graph(module) if isinstance(node, nnx.Pytree))
    values = (value for node in held for value in attributes(node).values())
    return [value for value in values if callable(value) and not is_of_nnx(value)]


def frozen_settings(module: Any, functions: bool) -> dict[str, Any]:
    """The static attributes, to compare with ==; without `functions` these by type."""
    found = all_settings(module).items()
    plain = type if not functions else snapshot
    return {path: (plain if callable(v) else snapshot)(v) for path, v in found}


def check_copy(module: Any, copied: Any, what: str, hint: str = "", functions: bool = True) -> None:
    """A copy has the type, attributes, graph definition and Variables of the module.

    Without `functions` those that it holds may have been copied too.
    """
    name = type(module).__name__
    same = type(copied) is type(module)
    check(same, name, f"{what} gave a {type(copied).__name__}", hint)
    settings = (frozen_settings(one, functions) for one in (module, copied))
    wrong = changed(*settings)
    check(not wrong, ", ".join(wrong), f"{what} lost or changed this attribute", hint)
    wrong = changed(bits_of(module), bits_of(copied))
    check(not wrong, ", ".join(wrong), f"{what} changed it", hint)
    same = not functions or nnx.graphdef(copied) == nnx.graphdef(module)
    check(same, name, f"{what} changed the graph definition", hint)


def closes(left: Any, right: Any, slack: float = 1.0) -> bool:
    """Close outputs, and close states."""
    return close(left[0], right[0], slack) and close(left[1], right[1], slack)


def shapes_of(state: Any) -> dict[str, Any]:
    return {path: aval(value) for path, value in values_of(state).items()}


def has_nan(value: Any) -> bool:
    return is_inexact(value) and bool(np.isnan(np.asarray(value)).any())


STATE_METHODS = "`__getstate__`, `__setstate__`, `__copy__` or `__deepcopy__`"


def twin_class(cls: type) -> type:
    """The class from a second run of its module; skips where there is none."""
    module = sys.modules.get(cls.__module__, types.ModuleType("none"))
    source = getattr(module, "__file__", None)
    if not source or "<locals>" in cls.__qualname__:
        pytest.skip("the class is not at the top of a module")
    try:
        return second_class(cls, source)
    except ANY_ERROR:
        pytest.skip("the module cannot be run twice")


def tracers_beside_the_state(module: Any) -> list[str]:
    """The places of the tracers that a module holds outside of its Variables."""
    stop = [*variables_of(module).values()]
    for _, node in nnx.iter_graph(module):
        stop.append(getattr(node, "_pytree__state", None))  # it knows its own trace
    parts = reachable(module, type(module).__name__, stop)
    return [place for place, value in parts if isinstance(value, Tracer)]
