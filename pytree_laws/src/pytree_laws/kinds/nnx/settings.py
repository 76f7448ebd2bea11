"""The static attributes of modules, and the copies that have to keep them."""

import copy
from collections.abc import Iterator
from typing import Any

from flax import nnx

from ...inspect.classes import is_of_library
from ...inspect.references import snapshot
from ...inspect.trees import attributes, changed, look_up, one_level
from ...report import check, or_else
from .variables import bits_of, copy_of, is_of_nnx, own_nodes

STATE_METHODS = "`__getstate__`, `__setstate__`, `__copy__` or `__deepcopy__`"


def settings_of(node: Any) -> dict[str, Any]:
    """Return the static attributes of a module, which its graph definition contains."""
    data = {id(child) for child in (one_level(node) or ((), ()))[0]}
    prefix = "_" if is_of_library(type(node)) else "_pytree__"  # what Flax notes there
    return {
        name: value
        for name, value in attributes(node).items()
        if not (name.startswith(prefix) or id(value) in data or is_of_nnx(value))
    }


def all_settings(module: Any) -> dict[str, Any]:
    """Return the static attributes of the module and of its own nodes, by path."""
    return {
        f"{place}.{name}".lstrip("."): value
        for place, node in own_nodes(module)
        for name, value in settings_of(node).items()
    }


def settings_of_flax(module: Any) -> Iterator[tuple[str, Any]]:
    """Yield the static attributes of Flax's own nodes by path, such as those of an `nnx.Optimizer`."""
    for path, node in nnx.iter_graph(module):
        if isinstance(node, nnx.Pytree) and is_of_library(type(node)):
            yield from (
                (".".join(map(str, (*path, name))), value) for name, value in settings_of(node).items()
            )


def with_setting(module: Any, path: str, value: Any) -> Any:
    """Copy the module with another value of a static attribute."""
    edited = copy_of(module)
    above, _, name = path.rpartition(".")
    setattr(look_up(edited, above) if above else edited, name, value)
    return edited


def functions_of(module: Any) -> list[Any]:
    """List the functions among the attributes of the module and its nodes, also within a tuple.

    An optimiser holds its transformation as a tuple of functions.
    """
    nodes = (node for _, node in nnx.iter_graph(module) if isinstance(node, nnx.Pytree))
    values = (value for node in nodes for value in attributes(node).values())
    parts = (part for value in values for part in (value if isinstance(value, tuple) else (value,)))
    return [part for part in parts if callable(part) and not is_of_nnx(part)]


def frozen_settings(module: Any, functions: bool) -> dict[str, Any]:
    """Return the static attributes for comparison with `==`.

    If `functions` is false, a function is compared by type.
    """
    settings = all_settings(module).items()
    plain = type if not functions else snapshot
    return {path: (plain if callable(v) else snapshot)(v) for path, v in settings}


@or_else(False)  # a `custom_vjp` raises
def stays_in_copies(function: Any) -> bool:
    """Whether a deep copy holds the very same function.

    Some functions of jax are copied, or refuse to be copied, and are compared by type.
    """
    return copy.deepcopy(function) is function


def check_copy(module: Any, copied: Any, operation: str, hint: str = STATE_METHODS) -> None:
    """Check that a copy has the type, attributes, graph definition and Variables of the module."""
    name, same = type(module).__name__, type(copied) is type(module)
    check(same, name, f"{operation} gave a {type(copied).__name__}", hint)
    functions = all(map(stays_in_copies, functions_of(module)))
    settings = (frozen_settings(each, functions) for each in (module, copied))
    wrong = changed(*settings)
    check(not wrong, ", ".join(wrong), f"{operation} lost or changed this attribute", hint)
    wrong = changed(bits_of(module), bits_of(copied))
    check(not wrong, ", ".join(wrong), f"{operation} changed it", hint)
    same = not functions or nnx.graphdef(copied) == nnx.graphdef(module)
    check(same, name, f"{operation} changed the graph definition", hint)
