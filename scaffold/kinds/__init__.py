"""The kinds of class: one file each, found by its name.

A kind has `SUMMARY`, one line for `scaffold kinds`, and `context(spec)`, the values that its templates lay out.
"""

import importlib
import pkgutil
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
