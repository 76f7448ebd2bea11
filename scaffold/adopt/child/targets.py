"""Targets: the classes of a module, a package or a file."""

import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from .annotations import parameters_of
from .built import message_of
from .functions import is_transformation
from .kinds import Kind, kind_of
from .sources import settle

Request = dict[str, Any]
STOPS = (Exception, SystemExit, pytest.skip.Exception, pytest.exit.Exception)
"""What an import may raise that stands for its own module alone."""
_TESTS = re.compile(r"(^|\.)(tests?|testing|conftest|test_\w+|\w+_test)$")
"""Modules that have tests, and no classes for users."""
_FOUND: dict[tuple[str, str], Any] = {}


def listed(request: Request) -> dict[str, Any]:
    """The classes of all targets, each once, and what cannot be found or imported."""
    look_in(request["folders"])
    classes: list[dict[str, Any]] = []
    faults: list[dict[str, Any]] = []
    passed_over: list[dict[str, str]] = []
    seen: set[int] = set()
    for target in request["targets"]:
        try:
            found = list(classes_of(target["module"], target["name"], target["whole"], passed_over))
        except STOPS as error:
            faults.append({"target": target["text"], "why": told(error)})
            continue
        for one in found:
            if id(one[2]) not in seen:
                seen.add(id(one[2]))
                classes.append(described(*one, is_named=bool(target["name"])))
    taken = taken_names(classes) if request.get("said") else []
    return {"classes": classes, "faults": faults, "taken": taken, "passed_over": passed_over}


def taken_names(classes: Sequence[dict[str, Any]]) -> list[str]:
    """The names of all arguments that the constructors and methods of the classes take."""
    from .build import makers_of  # here, since it looks classes up as well
    from .methods import methods_of, parameters_of_method
    from .transformations import FURTHER

    found: set[str] = set()
    for one in classes:
        cls = _FOUND[one["module"], one["name"]]
        if one["why"]:
            continue
        if one["kind"] == "transformation":
            found |= {"params", *FURTHER, *(each.name for each in parameters_of(cls))}
            continue
        for _, maker in makers_of(cls):
            with suppress(TypeError, ValueError):
                found |= {each.name for each in parameters_of(maker, cls)}
        for name in methods_of(cls):
            found |= {each.name for each in parameters_of_method(cls, name or "__call__") or ()}
    return sorted(found)


def look_in(folders: Sequence[str]) -> None:
    """Has modules be found in these folders too, as the tests find them."""
    sys.path[:0] = [place for place in folders if place not in sys.path]


def told(error: BaseException) -> str:
    return f"{type(error).__name__}: {message_of(error)}"


def described(module: str, name: str, cls: Any, *, is_named: bool) -> dict[str, Any]:
    _FOUND[module, name] = cls
    try:
        kind = kind_of(cls)
        settle(cls, module, name)
    except Exception as error:  # of its metaclass, which may do as it likes
        kind = Kind("plain", f"it cannot be looked at: {told(error)}")
    why = kind.why or ("Python takes its name for another within a class" if name.startswith("__") else "")
    return {"module": module, "name": name, "kind": kind.name, "why": why, "named": is_named}


def found_class(module: str, name: str) -> Any:
    """A class that was listed; looked up again in a process of its own."""
    if (module, name) not in _FOUND:
        cls = importlib.import_module(module)
        for part in name.split("."):
            cls = getattr(cls, part)
        _FOUND[module, name] = cls
        settle(cls, module, name)
    return _FOUND[module, name]


def classes_of(
    module: str, name: str, whole: bool, passed_over: list[dict[str, str]]
) -> Iterator[tuple[str, str, Any]]:
    """Module, name and class: the named one, or all that a module has for its users."""
    module, name = parted(module, name)
    loaded = importlib.import_module(module)
    if name:
        found: Any = loaded
        for part in name.split("."):
            found = getattr(found, part)
        yield module, name, found
        return
    for one in [loaded, *(below(loaded, passed_over) if whole else ())]:
        for key, value in sorted(
            public(one).items(), key=lambda pair: (pair[0] != said_by(pair[1], "__name__"), pair[0])
        ):
            if is_own(value, one, module if whole else one.__name__):
                yield one.__name__, key, value


def parted(module: str, name: str) -> tuple[str, str]:
    """Module and class, also where a class is written as Python names it, with dots alone."""
    outer, _, last = module.rpartition(".")
    if not name and last[:1].isupper():
        try:
            importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name == module and hasattr(importlib.import_module(outer), last):
                return outer, last
    return module, name


def public(module: ModuleType) -> dict[str, Any]:
    """The classes that a module names for its users, and the functions that make transformations."""
    every = getattr(module, "__all__", None)
    names = every if every is not None else [name for name in vars(module) if not name.startswith("_")]
    held = {name: getattr(module, name, None) for name in names}
    return {name: value for name, value in held.items() if is_target(value)}


def is_target(value: Any) -> bool:
    """Whether it is a class, or a function that makes a transformation."""
    try:
        return inspect.isclass(value) or is_transformation(value)
    except Exception:  # of an object that does as it likes when it is asked for its class
        return False


def said_by(value: Any, name: str) -> str:
    """What a class or a function says of itself, whatever its metaclass makes of that."""
    if not inspect.isclass(value):
        return str(getattr(value, name, ""))
    try:
        return str(type.__getattribute__(value, name))
    except AttributeError:
        return ""


def is_own(value: Any, module: ModuleType, root: str) -> bool:
    """Whether a class belongs to a module, and is not merely used there."""
    own = said_by(value, "__module__")
    if own == module.__name__:
        return True
    is_package = hasattr(module, "__path__")
    return is_package and own.startswith(f"{root}.")


def below(package: ModuleType, passed_over: list[dict[str, str]]) -> Iterator[ModuleType]:
    """The public modules of a package; one that cannot be imported is passed over, and noted."""
    for name in names_below(package):
        try:
            module = importlib.import_module(name)
        except STOPS as error:
            passed_over.append({"module": name, "why": told(error)})
            continue
        yield module
        yield from below(module, passed_over)


def names_below(package: ModuleType) -> Iterator[str]:
    """The public modules right below a package; of a namespace, its folders too."""
    places = list(getattr(package, "__path__", ()))
    found = {one.name for one in pkgutil.iter_modules(places)}
    if getattr(package, "__file__", None) is None:
        folders = [folder for place in places for folder in Path(place).iterdir() if folder.is_dir()]
        found |= {one.name for one in folders if one.name.isidentifier() and any(one.rglob("*.py"))}
    for name in sorted(found):
        if not (name.startswith("_") or _TESTS.search(name)):
            yield f"{package.__name__}.{name}"
