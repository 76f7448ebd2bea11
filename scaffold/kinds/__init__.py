"""The kinds of class: one file each, found by its name.

A kind has `SUMMARY`, one line for `scaffold kinds`, and `context(spec)`, the values that its templates lay out. Where its
tests are not those of a pytree it has `test_context(spec, known)`, and `LAWS`, the further law suites that they import.
"""

import importlib
import pkgutil
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from scaffold.spec.model import ModuleSpec  # it reads `NAMES`

NAMES = tuple(sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__)))


class Kind(Protocol):
    """A module of this package."""

    SUMMARY: str

    def context(self, spec: "ModuleSpec") -> dict[str, Any]:
        """Plain JSON for the templates: names, flags, and fragments that are ready to paste."""
        ...


def kind_of(name: str) -> Kind:
    """The kind called `name`, one of `NAMES`."""
    return cast(Kind, importlib.import_module(f"{__name__}.{name.replace('-', '_')}"))


def tests_of(name: str) -> Callable[..., dict[str, Any]]:
    """What gives the values that `templates/tests` lays out for a kind."""
    from scaffold.emit.tests import test_context  # it reads the spec, which reads `NAMES`

    return getattr(kind_of(name), "test_context", test_context)


def law_files(name: str) -> tuple[str, ...]:
    """The law suites that the tests of a kind import."""
    return ("pytree_laws.py", *getattr(kind_of(name), "LAWS", ()))
