"""Classes that have the attributes that a call asked for: what its argument is, where no annotation says it."""

import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from .kinds import kind_of

_LACKING = re.compile(
    r"(?:Tracer'? |'\w*(?:Tracer|ArrayImpl|NoneType|float|int|tuple|str|function|PjitFunction)' )object has no attribute '(\w+)'"
    r"|Tracer has no attribute (\w+)"
)
"""How Python, and a tracer of jax, say that a value lacks an attribute."""
MAX_CLASSES = 3


def lacking_attributes(messages: Iterable[str]) -> set[str]:
    """The attributes that errors say plain values lack."""
    matches = [match for text in messages for match in _LACKING.finditer(text)]
    return {match[1] or match[2] for match in matches}


def lookalikes(cls: type, attributes: set[str]) -> list[type]:
    """The pytrees of a class's package that have one of the attributes, those with the most of them first."""
    package = cls.__module__.partition(".")[0]
    counts = {other: len(attributes & attributes_of(other)) for other in dict.fromkeys(classes_in(package))}
    matching = [other for other, count in counts.items() if count and kind_of(other).name in KINDS]
    return sorted(matching, key=lambda other: (-counts[other], other is cls))[:MAX_CLASSES]


KINDS = ("abstract", "module", "nnx", "namedtuple", "registered")


def classes_in(package: str) -> Iterator[type]:
    """The public classes of the modules of a package that are imported, in an order that is always the same."""
    for name in sorted(sys.modules):
        if name.partition(".")[0] == package:
            members: dict[str, Any] = vars(sys.modules[name])
            yield from (
                value
                for key, value in sorted(members.items())
                if isinstance(value, type) and value.__module__ == name and not key.startswith("_")
            )


def attributes_of(cls: type) -> set[str]:
    """The names of what an instance has, as far as its class shows it."""
    return {name for owner in cls.__mro__ for name in (*vars(owner), *vars(owner).get("__annotations__", ()))}
