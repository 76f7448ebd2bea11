"""Global state that a class must leave alone: globals, caches, settings, random generators."""

import collections
import contextlib
import dataclasses
import inspect
import io
import itertools
import os
import random
import sys
import types
import weakref
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax.core import Tracer

from ..report import ADVICE, check, or_else, result_or_error
from .arrays import is_array, is_key
from .classes import is_of_library
from .references import class_attributes, snapshot
from .trees import nodes


def globals_of(instance: Any) -> dict[str, Any]:
    """Return comparable snapshots of the variables in the modules and classes of all nodes."""
    result: dict[str, Any] = {}
    for cls in {type(node): None for _, node, _ in nodes(instance)}:
        if is_of_library(cls):
            continue
        namespaces: dict[str, Any] = {cls.__module__: vars(sys.modules.get(cls.__module__, object))}
        namespaces[f"{cls.__module__}.{cls.__qualname__}"] = vars(cls)
        for owner, variables in namespaces.items():
            result |= {
                f"{owner}.{name}": state
                for name, value in variables.items()
                if not name.startswith("__") and (state := state_of(value)) is not None
            }
    return result


def state_of(value: Any) -> Any:
    """Return a comparable snapshot of a value in which a module or class could count or cache, else None."""
    if isinstance(value, itertools.count):
        return repr(value)
    if is_array(value):
        return snapshot(value) if not is_key(value) else None
    if isinstance(value, dict | list | set | bytearray | collections.deque):
        inside = value.items() if isinstance(value, dict) else value
        return type(value), len(value), [shallow(member) for member in inside]
    if isinstance(value, bool | int | float | str | tuple | None):
        return (type(value), shallow(value)) if value is not None else "None"
    weak = (weakref.WeakKeyDictionary, weakref.WeakValueDictionary, weakref.WeakSet)
    return len(value) if isinstance(value, weak) else None


def shallow(value: Any) -> Any:
    """Return a comparable form of a value inside a container. Objects are compared by identity."""
    if isinstance(value, tuple):
        return tuple(map(shallow, value))
    if is_array(value) and not isinstance(value, Tracer) and not is_key(value):
        return snapshot(value)
    if isinstance(value, dict | list | set) and len(value) < 100:
        inside = value.items() if isinstance(value, dict) else value
        return id(value), tuple(map(shallow, inside))
    return repr(value) if isinstance(value, bool | int | float | str) else id(value)


def watching_global_state() -> dict[str, Any]:
    """Return the global state that a call must leave alone: settings, generators, directory, environment."""
    settings = {f"jax.config.{k}": v for k, v in getattr(jax.config, "values", {}).items()}
    name, state, *rest = np.random.get_state(legacy=True)
    # beartype draws from `random`: it checks one item of a container, any of them.
    is_drawn_from = "beartype" in sys.modules
    return settings | {
        "the state of `random`": None if is_drawn_from else random.getstate(),
        "the state of `np.random`": (name, bytes(np.asarray(state)), *rest),
        "the directory": os.getcwd(),
        "the environment": dict(os.environ),
    }


HOST_VALUES = int, float, complex, str, np.ndarray, np.generic


@dataclasses.dataclass(frozen=True)
class FirstUse:
    """Error, changes of global state and output of the first use of a constructor or a call."""

    error: Exception | None
    changed: tuple[str, ...]
    printed: str
    gives_host_values: bool
    """Whether the result contains Python numbers or NumPy arrays, as a conversion would return."""

    def check(self, where: str) -> None:
        message = f"the first use changed {', '.join(self.changed)}"
        check(not self.changed, where, message, "a `with` block keeps a setting to itself")
        hint = "a `print` left over from debugging; of a fallback `warnings.warn` tells once, and can be silenced"
        message = f"it printed {self.printed!r:.100}"
        check(not self.printed, where, message, hint, severity=ADVICE)


class Printed(io.StringIO):
    """Captured output, without prints of host callbacks, which are intended, as in a progress meter."""

    def write(self, text: str, /) -> int:
        frame = inspect.currentframe()
        while frame is not None:
            if frame.f_globals.get("__name__") == "jax._src.callback":
                return len(text)
            frame = frame.f_back
        return super().write(text)


def first_use(use: Callable[[], Any]) -> FirstUse:
    before, out = watching_global_state(), Printed()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        result = result_or_error(use)
    after, error = watching_global_state(), result if isinstance(result, Exception) else None
    changed = tuple(name for name in before if before[name] != after.get(name))
    return FirstUse(error, changed, out.getvalue(), holds_host_values(result))


@or_else(False)  # its flatten may be broken, as P3 tells
def holds_host_values(result: Any) -> bool:
    return any(isinstance(leaf, HOST_VALUES) for leaf in jax.tree.leaves(result))


def clear_caches(instance: Any) -> None:
    """Clear functools caches of the class and of its module, so that the next call is cold."""
    module = vars(sys.modules.get(type(instance).__module__, types.ModuleType("none")))
    names = ("method", "__wrapped__", "__func__", "fget")
    for value in [*(value for _, value in class_attributes(instance)), *module.values()]:
        for function in (value, *(inspect.getattr_static(value, name, None) for name in names)):
            clear = getattr(function, "cache_clear", None)
            if hasattr(function, "cache_info") and callable(clear):
                clear()
