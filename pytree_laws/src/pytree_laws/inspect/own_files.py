"""Whether a class has files of its own: a save to a path, and a load from one into a skeleton."""

import contextlib
import inspect
from typing import Any

from .classes import defaults_of


def has_files(instance: Any) -> bool:
    """Whether a class saves to a path, and loads from one into a skeleton; a `__getattr__` may give anything by these names."""
    save, load = getattr(instance, "save", None), getattr(type(instance), "load", None)
    return callable(save) and callable(load) and takes(save, 1) and takes(load, 2)


def takes(function: Any, count: int) -> bool:
    """Whether a function takes so many arguments by position, as far as its signature says."""
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        return False
    except ValueError:  # it has none
        return True
    return True


def path_for(function: Any, path: Any) -> Any:
    """A path as a function takes it: as a text where its annotation says so."""
    with contextlib.suppress(TypeError, ValueError):
        first = next(iter(inspect.signature(function).parameters.values()))
        return str(path) if first.annotation in (str, "str") else path
    return path


def other_ways(function: Any) -> dict[str, bool]:
    """The flags of a function by name, each with the value that it has not by default."""
    return {name: not default for name, default in defaults_of(function) if isinstance(default, bool)}
