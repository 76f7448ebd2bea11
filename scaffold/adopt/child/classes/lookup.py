"""Classes by module and name, each looked up once."""

import importlib
import inspect
import re
import sys
from collections.abc import Sequence
from typing import Any

from ..values.sources import settle
from .kinds import Kind, kind_of
from .messages import message_of

CLASSES: dict[tuple[str, str], Any] = {}
TESTS = re.compile(r"(^|\.)(tests?|testing|conftest|test_\w+|\w+_test)$")
"""Matches modules that have tests, and no classes for users."""


def add_to_path(folders: Sequence[str]) -> None:
    """Put folders on `sys.path`, as pytest does for the tests."""
    sys.path[:0] = [place for place in folders if place not in sys.path]


def error_text(error: BaseException) -> str:
    return f"{type(error).__name__}: {message_of(error)}"


def describe_class(module: str, name: str, cls: Any, *, is_named: bool) -> dict[str, Any]:
    CLASSES[module, name] = cls
    try:
        kind = kind_of(cls)
        settle(cls, module, name)
    except Exception as error:  # from the metaclass
        kind = Kind("plain", f"it cannot be looked at: {error_text(error)}")
    why = kind.why or ("Python takes its name for another within a class" if name.startswith("__") else "")
    home = said_by(cls, "__module__") or module
    return {"module": module, "name": name, "kind": kind.name, "why": why, "named": is_named, "home": home}


def said_by(value: Any, name: str) -> str:
    """Return an attribute of a class or function as text, without the code of its metaclass."""
    if not inspect.isclass(value):
        return str(getattr(value, name, ""))
    try:
        return str(type.__getattribute__(value, name))
    except AttributeError:
        return ""


def load_class(module: str, name: str) -> Any:
    """Return a listed class, imported if another process has listed it."""
    if (module, name) not in CLASSES:
        cls = importlib.import_module(module)
        for part in name.split("."):
            cls = getattr(cls, part)
        CLASSES[module, name] = cls
        settle(cls, module, name)
    return CLASSES[module, name]
