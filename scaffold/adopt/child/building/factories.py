"""Functions that return instances of a class, such as `def spectral(widths) -> Spectral`."""

import inspect
import re
import sys
from collections.abc import Iterator
from typing import Any

from pytree_laws.declare.methods import is_action

from ..classes.uses.lookalikes import modules_of, needs
from ..values.annotations import EMPTY
from ..values.names import READS_FILES

REBUILDS = re.compile(r"(^|_)unflatten(_|$)|^model_(construct|validate)")
"""Names of methods by which JAX or pydantic rebuild an instance from its parts."""
ELSEWHERE = 3
"""Largest number of functions of other modules that are tried, since each may need much."""


def factories_of(cls: type) -> Iterator[tuple[str, Any]]:
    """Yield by name the public functions whose return annotation is the class.

    Functions of the class's own module come first, then functions elsewhere with the fewest required
    arguments. Functions that take an instance are left out, since each only makes another instance.
    """
    name = cls.__module__
    others = [other for other, _ in modules_of(name.partition(".")[0]) if other != name]
    own = [*functions_giving(cls, name)]
    yield from own
    elsewhere = {
        key: value for other in others for key, value in functions_giving(cls, other) if key not in dict(own)
    }
    yield from sorted(elsewhere.items(), key=lambda pair: needs(pair[1]))[:ELSEWHERE]


def functions_giving(cls: type, module: str) -> Iterator[tuple[str, Any]]:
    """Yield by name the public functions of a module that are annotated to return a class."""
    for name, value in sorted(vars(sys.modules[module]).items()) if module in sys.modules else ():
        is_own = inspect.isfunction(value) and value.__module__ == module
        if is_own and may_build(cls, name):
            annotations = dict(inspect.get_annotations(value))
            gives = annotations.pop("return", EMPTY)
            if _names(gives) == [cls.__name__] and not any(
                cls.__name__ in _names(a) for a in annotations.values()
            ):
                yield name, value


def may_build(cls: type, name: str) -> bool:
    """Whether a method is public and, by its name, neither rebuilds, reads files nor has side effects."""
    is_internal = name.startswith("_") or REBUILDS.search(name)
    return not (is_internal or READS_FILES.search(name) or is_action(cls, name))


def is_named_by(cls: type, name: str) -> bool:
    """Whether the docstring of a class mentions a function."""
    return re.search(rf"\b{re.escape(name)}\b", vars(cls).get("__doc__") or "") is not None


def text_of(annotation: Any) -> str:
    """Return an annotation as text: a string as it stands, a class by its name."""
    return annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))


def _names(annotation: Any) -> list[str]:
    return re.findall(r"[A-Za-z_]\w*", text_of(annotation))
