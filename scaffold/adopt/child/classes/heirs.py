"""Subclasses of an abstract class in modules of its package that are not imported yet."""

import contextlib
import functools
import importlib
import itertools
import re
import sys

from .examples import texts_of
from .kinds import kind_of
from .lookup import TESTS
from .uses.lookalikes import subclasses

MAX_MODULES = 8
"""Maximum number of modules to import for a class, since each may import more."""
_PROGRAMS = re.compile(r"examples?|benchmarks?|__main__")
"""Matches modules that are run, not imported."""


@functools.cache  # since each call reads all files of the package
def import_heirs(cls: type) -> bool:
    """Import modules that have subclasses of an abstract class. Return whether there are more now."""
    if kind_of(cls).name != "abstract":
        return False
    before = subclasses(cls)
    for module in modules_with_heirs(cls)[:MAX_MODULES]:
        with contextlib.suppress(Exception):
            importlib.import_module(module)
    return len(subclasses(cls)) > len(before)


def modules_with_heirs(cls: type) -> list[str]:
    """Return modules of the package whose text has a subclass of the class, the nearest first."""
    statement = re.compile(rf"^class \w+\((?:[^()]*[\s,.])?{re.escape(cls.__name__)}\b", re.MULTILINE)
    own = cls.__module__
    texts = texts_of(own.partition(".")[0], statement)
    found = [module for module, _ in texts if module not in sys.modules and is_imported_by_users(module)]
    return sorted(found, key=lambda module: (-_shared(module, own), module))


def is_imported_by_users(module: str) -> bool:
    """Whether a module is neither a test nor a program, by the parts of its name."""
    return not any(TESTS.search(part) or _PROGRAMS.fullmatch(part) for part in module.split("."))


def _shared(module: str, other: str) -> int:
    """Return the number of leading packages that two modules share."""
    pairs = zip(module.split("."), other.split("."), strict=False)
    return len(list(itertools.takewhile(lambda pair: pair[0] == pair[1], pairs)))
