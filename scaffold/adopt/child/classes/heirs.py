"""Subclasses of an abstract class in modules of its package that nobody has imported."""

import contextlib
import importlib
import re
import sys

from .examples import texts_of
from .kinds import kind_of
from .lookalikes import subclasses

MAX_MODULES = 8
"""How many modules are imported for the subclasses of one class: each may import more."""
_OF_TESTS = re.compile(r"(^|[._])(tests?|conftest|examples?|benchmarks?|__main__)([._]|$)")


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
    found = [module for module, _ in texts if module not in sys.modules and not _OF_TESTS.search(module)]
    return sorted(found, key=lambda module: (-_shared(module, own), module))


def _shared(module: str, other: str) -> int:
    """How many packages two modules share."""
    pairs = zip(module.split("."), other.split("."), strict=False)
    return next((place for place, (left, right) in enumerate(pairs) if left != right), 0)
