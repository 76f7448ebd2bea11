"""Targets: the classes of a module, a package or a file."""

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from types import ModuleType
from typing import Any

from .annotations import parameters_of
from .kinds import kind_of
from .sources import settle

Request = dict[str, Any]
_FOUND: dict[tuple[str, str], Any] = {}


def listed(request: Request) -> dict[str, Any]:
    """The classes of all targets, each once, and what cannot be found or imported."""
    look_in(request["folders"])
    classes: list[dict[str, Any]] = []
    faults: list[dict[str, Any]] = []
    seen: set[int] = set()
    for target in request["targets"]:
        try:
            found = list(classes_of(target["module"], target["name"], target["whole"]))
        except (Exception, SystemExit) as error:
            faults.append({"target": target["text"], "why": told(error)})
            continue
        for one in found:
            if id(one[2]) not in seen:
                seen.add(id(one[2]))
                classes.append(described(*one, is_named=bool(target["name"])))
    taken = taken_names(classes) if request.get("said") else []
    return {"classes": classes, "faults": faults, "taken": taken}


def taken_names(classes: Sequence[dict[str, Any]]) -> list[str]:
    """The names of all arguments that the constructors and methods of the classes take."""
    from .build import makers_of  # here, since it looks classes up as well
    from .call import methods_of, parameters_of_method

    found: set[str] = set()
    for one in classes:
        cls = _FOUND[one["module"], one["name"]]
        if one["why"]:
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
    return f"{type(error).__name__}: {error}"


def described(module: str, name: str, cls: Any, *, is_named: bool) -> dict[str, Any]:
    kind = kind_of(cls)
    _FOUND[module, name] = cls
    settle(cls, module)
    return {"module": module, "name": name, "kind": kind.name, "why": kind.why, "named": is_named}


def found_class(module: str, name: str) -> Any:
    """A class that was listed; looked up again in a process of its own."""
    if (module, name) not in _FOUND:
        cls = importlib.import_module(module)
        for part in name.split("."):
            cls = getattr(cls, part)
        _FOUND[module, name] = cls
        settle(cls, module)
    return _FOUND[module, name]


def classes_of(module: str, name: str, whole: bool) -> Iterator[tuple[str, str, Any]]:
    """Module, name and class: the named one, or all that a module has for its users."""
    loaded = importlib.import_module(module)
    if name:
        found: Any = loaded
        for part in name.split("."):
            found = getattr(found, part)
        yield module, name, found
        return
    for one in [loaded, *(below(loaded) if whole else ())]:
        for key, value in sorted(public(one).items()):
            if is_own(value, one, module if whole else one.__name__):
                yield one.__name__, key, value


def public(module: ModuleType) -> dict[str, type]:
    """The classes that a module names for its users."""
    every = getattr(module, "__all__", None)
    names = every if every is not None else [name for name in vars(module) if not name.startswith("_")]
    held = {name: getattr(module, name, None) for name in names}
    return {name: value for name, value in held.items() if inspect.isclass(value)}


def is_own(value: Any, module: ModuleType, root: str) -> bool:
    """Whether a class belongs to a module, and is not merely used there."""
    own = str(getattr(value, "__module__", ""))
    if own == module.__name__:
        return True
    is_package = hasattr(module, "__path__")
    return is_package and own.startswith(f"{root}.")


def below(package: ModuleType) -> Iterator[ModuleType]:
    """The public modules of a package; one that cannot be imported is passed over."""
    for found in pkgutil.walk_packages(
        getattr(package, "__path__", []), f"{package.__name__}.", lambda _: None
    ):
        parts = found.name.split(".")
        if any(part.startswith("_") or part in ("tests", "test", "testing", "conftest") for part in parts):
            continue
        try:
            yield importlib.import_module(found.name)
        except (Exception, SystemExit) as error:
            print(f"{found.name}: {told(error)}", file=sys.stderr)
