"""Subclasses of an abstract class in modules of its package that nobody has imported."""

import contextlib
import functools
import importlib
import re
import sys

from .examples import texts_of
from .kinds import kind_of
from .lookup import TESTS
from .uses.lookalikes import subclasses

MAX_MODULES = 8
"""How many modules are imported for the subclasses of one class: each may import more."""
_PROGRAMS = re.compile(r"examples?|benchmarks?|__main__")
"""Modules that are run, and not imported."""


@functools.cache  # a class that cannot be built is asked for again and again, and each answer reads the files of its package
def import_heirs(cls: type) -> bool:
    """Imports modules of the package of an abstract class that have subclasses of it; whether there are more of them now."""
    if kind_of(cls).name != "abstract":
        return False
    before = subclasses(cls)
    for module in modules_with_heirs(cls)[:MAX_MODULES]:
        with contextlib.suppress(Exception):
            importlib.import_module(module)
    return len(subclasses(cls)) > len(before)


def modules_with_heirs(cls: type) -> list[str]:
    """The modules of the package of a class whose text has a class statement with it among the bases, the nearest first."""
    statement = re.compile(rf"^class \w+\((?:[^()]*[\s,.])?{re.escape(cls.__name__)}\b", re.MULTILINE)
    own = cls.__module__
    texts = texts_of(own.partition(".")[0], statement)
    found = [module for module, _ in texts if module not in sys.modules and is_imported_by_users(module)]
    return sorted(found, key=lambda module: (-_shared(module, own), module))


def is_imported_by_users(module: str) -> bool:
    """Whether no part of the name of a module says that it is of tests, or a program."""
    return not any(TESTS.search(part) or _PROGRAMS.fullmatch(part) for part in module.split("."))


def _shared(module: str, other: str) -> int:
    """How many packages two modules share."""
    pairs = zip(module.split("."), other.split("."), strict=False)
    return next((place for place, (left, right) in enumerate(pairs) if left != right), 0)
