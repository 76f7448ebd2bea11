"""Functions beside a class that give instances of it, as `def spectral(widths) -> Spectral`."""

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
"""Names of what puts the parts of an instance together: jax and pydantic give it what they took apart, and nobody else does."""
ELSEWHERE = 3
"""How many functions of other modules are tried, which may need much that is not at hand."""


def factories_of(cls: type) -> Iterator[tuple[str, Any]]:
    """The public functions whose annotation says that they give the class, by name: of its module, and then of its package.

    Those that take an instance make another of it. Of the functions of other modules those are given that need least.
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
    """The public functions that a module defines and that give a class by their annotation, by name."""
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
