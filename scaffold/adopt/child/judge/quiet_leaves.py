"""Parameters without a gradient in the call, for a reason that is no mistake."""

import contextlib
import inspect
from collections.abc import Container, Iterator
from types import CodeType
from typing import Any

from pytree_laws.declare.unread import names_in_code
from pytree_laws.discover.inference import inferred_leaves
from pytree_laws.discover.invocation import trace_call
from pytree_laws.inspect.classes import is_of_library
from pytree_laws.inspect.trees import named_leaves
from pytree_laws.report import or_else

from ..calling.dependencies import flowing_inputs, used_inputs
from ..classes.uses.lookalikes import modules_of
from .run_laws import attribute_of


def quiet_leaves(suite: Any, method: str) -> dict[str, list[str]]:
    """Return paths of parameters by reason: followed in `steps`, `cut_off`, or `unread` by the call.

    `method` is the name of the call. Unread parameters are listed if other code reads them.
    """
    paths_by_reason: dict[str, list[str]] = {"steps": [], "cut_off": [], "unread": []}
    with contextlib.suppress(Exception):
        params = [leaf for leaf in inferred_leaves(suite) if leaf.role == "param"]
        paths_by_reason["cut_off"] = [leaf.path for leaf in params if leaf.unused]
        names = [leaf.path for leaf in params if not leaf.unused]
        used, flowing = leaves_of_call(suite)
        paths_by_reason["steps"] = sorted(path for path in names if path in used - flowing)
        unused = sorted(path for path in names if path not in used)
        parts = {path.partition(".")[0] for path in used}
        read = read_beside(suite.cached_instance(), method or "__call__", unused, parts)
        paths_by_reason["unread"] = read
    return paths_by_reason


def leaves_of_call(suite: Any) -> tuple[set[str], set[str]]:
    """Return the leaves that outputs depend on, and the leaves that a gradient may reach.

    Without a call, both are all leaves.
    """
    if not suite.called():
        every = {leaf.path for leaf in inferred_leaves(suite)}
        return every, every
    (closed, _), inputs = trace_call(suite, suite.cached_instance(), {})
    names = [name.removeprefix("0.") for name, _ in inputs]
    marks = used_inputs(closed), flowing_inputs(closed)
    used, flowing = ({name for name, is_so in zip(names, each, strict=False) if is_so} for each in marks)
    return used, flowing


def read_beside(instance: Any, method: str, paths: list[str], parts: Container[str] = ()) -> list[str]:
    """Return the paths whose attribute is read by code other than `method`.

    An attribute in `parts` is left out, because the method uses another leaf of the same part.
    """
    leaves = dict(named_leaves(instance)) if paths else {}
    read = names_read_beside(type(instance), method) if paths else set[str]()
    holders = {path: attribute_of(instance, path, leaves[path]) for path in paths if path in leaves}
    owners = {path: holder.partition(".")[0] for path, holder in holders.items()}
    return [path for path, owner in owners.items() if owner in read and owner not in parts]


def names_read_beside(cls: type, method: str) -> set[str]:
    """Return attributes that members of a class other than `method` read, except special methods.

    A class without a call may be a record, whose attributes the code of its package reads.
    """
    owners = [owner for owner in cls.__mro__ if not is_of_library(owner)]
    members = [pair for owner in owners for pair in vars(owner).items()]
    others = [value for name, value in members if name != method and is_of_use(name)]
    has_call = any("__call__" in vars(owner) for owner in cls.__mro__)
    others += [] if has_call else functions_of_package(cls)
    return {name for value in others for code in codes_of(value) for name in names_in_code(code)}


def functions_of_package(cls: type) -> list[Any]:
    """Return the functions in imported modules of the package, and methods of its other classes."""
    package = cls.__module__.partition(".")[0]
    modules = modules_of(package)
    members = [value for _, held in modules for value in list(held.values())]
    classes = [value for value in members if isinstance(value, type) and value not in cls.__mro__]
    methods = (pair for owner in classes if not is_of_library(owner) for pair in vars(owner).items())
    return [
        *(value for value in members if is_function_of(package, value)),
        *(value for name, value in methods if is_of_use(name)),
    ]


@or_else(False)  # for objects that have every attribute, such as mocks
def is_function_of(package: str, value: Any) -> bool:
    """Whether a package defines this function, which may be compiled."""
    function = inspect.unwrap(value)
    return inspect.isfunction(function) and function.__module__.partition(".")[0] == package


def is_of_use(name: str) -> bool:
    """Whether users call a method of this name."""
    return name == "__call__" or not (name.startswith("__") or "flatten" in name)


def codes_of(value: Any) -> Iterator[CodeType]:
    """Yield the code of a method or property, inside its wrappers."""
    function = getattr(value, "fget", None) or getattr(value, "func", None) or value
    with contextlib.suppress(Exception):
        function = getattr(function, "__wrapped__", None) or getattr(function, "method", function)
    code = getattr(function, "__code__", None)
    if isinstance(code, CodeType):
        yield code
