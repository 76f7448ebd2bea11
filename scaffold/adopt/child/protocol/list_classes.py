"""List of the classes of a module, a package or a file."""

import ast
import difflib
import enum
import functools
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

from ..classes.factories import is_transformation
from ..classes.kinds import wrapped_class
from ..classes.lookup import CLASSES, TESTS, add_to_path, describe_class, error_text, said_by
from ..values.annotations import parameters_of
from ..values.checker_imports import source_of_import

Request = dict[str, Any]
STOPS = (Exception, SystemExit, pytest.skip.Exception, pytest.exit.Exception)
"""Errors of an import that concern a single module, and not the whole request."""
_PROGRAMS = re.compile(r"examples?|scripts?|benchmarks?|docs?|tutorials?|notebooks?|templates?|assets|data")
"""Matches folders that users import only if they have an `__init__.py`."""


class NoSuchClassError(Exception):
    """A module has no class of that name. `meant` is a likely class, or empty."""

    def __init__(self, module: str, name: str, meant: str) -> None:
        self.meant = meant
        super().__init__(f"there is no `{name}` in `{module}`")


def list_classes(request: Request) -> dict[str, Any]:
    """List the classes of all targets, each once, with faults and failed imports."""
    add_to_path(request["folders"])
    classes: list[dict[str, Any]] = []
    faults: list[dict[str, Any]] = []
    passed_over: list[dict[str, str]] = []
    seen: set[int] = set()
    for target in request["targets"]:
        try:
            members = list(classes_of(target["module"], target["name"], target["whole"], passed_over))
        except NoSuchClassError as error:
            faults.append({"target": target["text"], "why": str(error), "meant": error.meant})
            continue
        except STOPS as error:
            faults.append({"target": target["text"], "why": error_text(error)})
            continue
        for member in members:
            if id(member[2]) not in seen:
                seen.add(id(member[2]))
                classes.append(describe_class(*member, is_named=bool(target["name"])))
    taken = argument_names(classes) if request.get("said") else []
    return {"classes": classes, "faults": faults, "taken": taken, "passed_over": passed_over}


def argument_names(classes: Sequence[dict[str, Any]]) -> list[str]:
    """Return the names of all arguments of the classes' constructors and methods."""
    from ..building.makers import makers_of  # only `--set` needs these
    from ..classes.methods import methods_of, parameters_of_method
    from ..transformations.find import FURTHER

    names: set[str] = set()
    for description in classes:
        cls = CLASSES[description["module"], description["name"]]
        if description["why"]:
            continue
        if description["kind"] == "transformation":
            names |= {"params", *FURTHER, *(each.name for each in parameters_of(cls))}
            continue
        for _, maker, _ in makers_of(cls):
            with suppress(TypeError, ValueError):
                names |= {each.name for each in parameters_of(maker, cls)}
        for name in methods_of(cls):
            names |= {each.name for each in parameters_of_method(cls, name or "__call__") or ()}
    return sorted(names)


def classes_of(
    module: str, name: str, whole: bool, passed_over: list[dict[str, str]]
) -> Iterator[tuple[str, str, Any]]:
    """Yield module, name and class, of the named class or of all public classes of a module."""
    module, name = split_target(module, name)
    loaded = importlib.import_module(module)
    if name:
        member: Any = loaded
        for part in name.split("."):
            if not hasattr(member, part):
                raise NoSuchClassError(loaded.__name__, name, _nearest(loaded, name))
            member = getattr(member, part)
        yield module, name, member
        return
    for loaded_module in [loaded, *(modules_below(loaded, passed_over) if whole else ())]:
        for key, value in sorted(
            public_members(loaded_module, passed_over).items(),
            key=lambda pair: (pair[0] != said_by(pair[1], "__name__"), pair[0]),
        ):
            if is_own(value, loaded_module, module if whole else loaded_module.__name__):
                yield loaded_module.__name__, key, value


def _nearest(module: ModuleType, name: str) -> str:
    """Return a likely class, of this name in a submodule or of a similar name, or an empty text."""
    below = [
        loaded.__name__
        for key, loaded in sorted(sys.modules.items())
        if key.startswith(f"{module.__name__}.") and isinstance(getattr(loaded, name, None), type)
    ]
    near = difflib.get_close_matches(name, public_members(module), 1)
    places = [f"{place}:{name}" for place in below] or [f"{module.__name__}:{other}" for other in near]
    return places[0] if places else ""


def split_target(module: str, name: str) -> tuple[str, str]:
    """Return module and class, also for a class written with dots alone as `pkg.mod.Class`."""
    outer, _, last = module.rpartition(".")
    if not name and last[:1].isupper():
        try:
            importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name == module and hasattr(importlib.import_module(outer), last):
                return outer, last
    return module, name


def public_members(module: ModuleType, passed_over: list[dict[str, str]] | None = None) -> dict[str, Any]:
    """Return the public classes of a module, and functions that make transformations.

    Reading a name may import a module lazily. If that fails, the name is added to `passed_over`.
    """
    members: dict[str, Any] = {}
    for name in public_names(module):
        try:
            members[name] = getattr(module, name, None)
        except STOPS as error:
            if passed_over is not None:
                passed_over.append({"module": f"{module.__name__}.{name}", "why": error_text(error)})
    return {name: value for name, value in members.items() if is_target(value)}


def public_names(module: ModuleType) -> Sequence[str]:
    """Return the names in `__all__` of a module, or its names without an underscore, which `*` imports."""
    every: Sequence[str] | None = getattr(module, "__all__", None)
    return every if every is not None else [name for name in vars(module) if not name.startswith("_")]


def is_target(value: Any) -> bool:
    """Whether a value is a class, a wrapped class, or a function that makes a transformation.

    Enumerations and errors are not pytrees.
    """
    try:
        if inspect.isclass(value):
            return not issubclass(value, enum.Enum | BaseException)
        return is_transformation(value) or wrapped_class(value) is not None
    except Exception:  # from an object that overrides `__class__`
        return False


def is_own(value: Any, module: ModuleType, root: str) -> bool:
    """Whether a class belongs to a module, and is not merely imported there."""
    origin = said_by(value, "__module__")
    if origin == module.__name__:
        return True
    if is_shown_by(module, value, origin):
        return True
    is_package = hasattr(module, "__path__")
    return is_package and origin.startswith(f"{root}.")


def is_shown_by(module: ModuleType, value: Any, origin: str) -> bool:
    """Whether a module re-exports a class from a private module of the same package."""
    package, *below = origin.split(".")
    is_private = any(name.startswith("_") for name in below)
    is_named = any(getattr(module, name, None) is value for name in re_exports(module))
    return is_private and package == module.__name__.partition(".")[0] and is_named


@functools.cache
def re_exports(module: ModuleType) -> Sequence[str]:
    """Return the names in `__all__` of a module, or else the names that the module imports by `*`."""
    if hasattr(module, "__all__"):
        return public_names(module)
    try:
        tree = ast.parse(inspect.getsource(module))
    except (OSError, TypeError, SyntaxError):  # from a module without a source
        return ()
    statements = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    starred = (source_of_import(each, module) for each in statements if each.names[0].name == "*")
    loaded = (sys.modules[name] for name in starred if name in sys.modules)
    return [name for each in loaded for name in public_names(each)]


def modules_below(package: ModuleType, passed_over: list[dict[str, str]]) -> Iterator[ModuleType]:
    """Yield the public modules of a package, and add failed imports to `passed_over`."""
    for name in names_below(package):
        try:
            module = importlib.import_module(name)
        except STOPS as error:
            passed_over.append({"module": name, "why": error_text(error)})
            continue
        yield module
        yield from modules_below(module, passed_over)


def names_below(package: ModuleType) -> Iterator[str]:
    """Yield the public modules directly below a package, including folders without `__init__.py`."""
    places = list(getattr(package, "__path__", ()))
    names = {module_info.name for module_info in pkgutil.iter_modules(places)}
    names |= {folder.name for place in places for folder in Path(place).iterdir() if is_namespace(folder)}
    for name in sorted(names):
        if not (name.startswith("_") or TESTS.search(name)):
            yield f"{package.__name__}.{name}"


def is_namespace(folder: Path) -> bool:
    """Whether a folder has Python files, and a name of a package rather than of programs or data."""
    is_module = folder.name.isidentifier() and not _PROGRAMS.fullmatch(folder.name)
    return is_module and folder.is_dir() and any(folder.rglob("*.py"))
