"""Functions beside a class that give instances of it, as `def spectral(widths) -> Spectral`."""

import inspect
import re
import sys
from collections.abc import Iterator
from typing import Any

from pytree_laws.declare.methods import is_action

from ..values.annotations import EMPTY
from ..values.names import READS_FILES

REBUILDS = re.compile(r"(^|_)unflatten(_|$)|^model_(construct|validate)")
"""Names of what puts the parts of an instance together: jax and pydantic give it what they took apart, and nobody else does."""


def factories_of(cls: type) -> Iterator[tuple[str, Any]]:
    """The public functions of its module whose annotation says that they give the class, by name.

    Those that take an instance make another of it.
    """
    module = sys.modules.get(cls.__module__)
    for name, value in sorted(vars(module).items()) if module is not None else ():
        is_own = inspect.isfunction(value) and value.__module__ == cls.__module__
        if is_own and may_build(cls, name):
            annotations = dict(inspect.get_annotations(value))
            gives = annotations.pop("return", EMPTY)
            if _names(gives) == [cls.__name__] and not any(
                cls.__name__ in _names(a) for a in annotations.values()
            ):
                yield name, value


def may_build(cls: type, name: str) -> bool:
    """Whether a method may be tried: it is public, and by its name does not rebuild, nor read or write files."""
    is_internal = name.startswith("_") or REBUILDS.search(name)
    return not (is_internal or READS_FILES.search(name) or is_action(cls, name))


def is_named_by(cls: type, name: str) -> bool:
    """Whether the docstring of a class sends its users to a function."""
    return re.search(rf"\b{re.escape(name)}\b", vars(cls).get("__doc__") or "") is not None


def text_of(annotation: Any) -> str:
    """An annotation as text: as it stands, or the name of a class."""
    return annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))


def _names(annotation: Any) -> list[str]:
    return re.findall(r"[A-Za-z_]\w*", text_of(annotation))
