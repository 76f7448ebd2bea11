"""Classes with the attributes that an error asks for, in place of a missing annotation."""

import inspect
import re
import sys
import typing
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pytree_laws.inspect.classes import TWIN

from ...values.annotations import parameters_of, protocol_members, required
from ...values.sources import held_by
from ..class_sources import attributes_used
from ..kinds import kind_of
from ..methods import parameters_of_method

_LACKING = re.compile(
    r"(?:'([\w.]+)'|Tracer) object has no attribute '(\w+)'|Tracer'? (?:object )?has no attribute '?(\w+)"
)
"""Matches errors of Python or of a tracer that a value lacks an attribute."""
_GIVEN = re.compile(r"__call__\(\) takes .*positional arguments? but (\d+) were given")
"""Matches Python's error for too many positional arguments, which counts `self` too."""
_NOT_CALLABLE = re.compile(r"not (a )?callable|must be callable")
"""Matches errors that a value should be a function."""
MAX_CLASSES = 3


def lacking(messages: Iterable[str], owner: str) -> tuple[set[str], set[str]]:
    """Return attributes that errors say are missing, and the classes of the values, except for `owner`."""
    matches = [match for text in messages for match in _LACKING.finditer(text) if match[1] != owner]
    return {match[2] or match[3] for match in matches}, {match[1] for match in matches if match[1]}


def lookalikes(cls: type, messages: Iterable[str]) -> list[Any]:
    """Return pytrees of the package that errors ask for, by name, attributes or number of arguments.

    If an error asks for a function, `Callable` comes last.
    """
    package, messages = cls.__module__.partition(".")[0], [*messages]
    attributes, given = lacking(messages, cls.__name__)
    takes = {int(count) - 1 for text in messages for count in _GIVEN.findall(text)}
    words = {word for text in messages for word in re.findall(r"\w+", text)} - {cls.__name__, *given}
    counts = {
        other: len(attributes and attributes & (attributes_of(other) | attributes_used(other)[1]))
        + any(accepts(other, count) for count in takes)
        + MAX_CLASSES * (other.__name__ in words)
        for other in dict.fromkeys(classes_in(package))
    }
    matching = [other for other, count in counts.items() if count and kind_of(other).name in KINDS]
    functions = [Callable] if any(map(_NOT_CALLABLE.search, messages)) else []
    return [*sorted(matching, key=lambda other: (-counts[other], other is cls))[:MAX_CLASSES], *functions]


def family(cls: type) -> list[type]:
    """Return the topmost base of a class in its package, since a wrapper often wraps its own family."""
    package = cls.__module__.partition(".")[0]
    bases = [base for base in cls.__mro__[1:] if base.__module__.partition(".")[0] == package]
    return [base for base in bases[::-1] if kind_of(base).name in KINDS][:1]


def below(cls: type) -> Iterator[type]:
    """Yield the subclasses of a class, and for a protocol the classes of its package that fit."""
    subclasses: list[type] = type.__subclasses__(cls)
    for each in filter(can_be_asked, [*subclasses, *fitting(cls)]):
        yield each
        yield from below(each)


def fitting(cls: type) -> list[type]:
    """Return classes of a protocol's package that have all its members without deriving from it."""
    members = protocol_members(cls)
    if not members:
        return []
    package = cls.__module__.partition(".")[0]
    if package in ("jax", "numpy"):  # their protocols describe arrays, for which there are examples
        return []
    others = dict.fromkeys(classes_in(package))
    concrete = (other for other in others if not getattr(other, "_is_protocol", False))
    return [other for other in concrete if cls not in other.__mro__ and members <= attributes_of(other)]


KINDS = ("abstract", "module", "nnx", "namedtuple", "registered")


def accepts(cls: type, count: int) -> bool:
    """Whether a call of an instance takes `count` positional arguments."""
    has_call = any("__call__" in vars(owner) for owner in cls.__mro__)
    parameters = parameters_of_method(cls, "__call__") if has_call else None
    by_position = [part for part in parameters or () if part.kind is part.POSITIONAL_OR_KEYWORD]
    return parameters is not None and len(required(by_position)) <= count <= len(by_position)


def classes_in(package: str) -> Iterator[type]:
    """Yield the public classes of a package's imported modules, always in the same order."""
    for name, members in modules_of(package):
        yield from (
            value
            for key, value in sorted(members.items())
            if isinstance(value, type)
            and can_be_asked(value)
            and value.__module__ == name
            and not key.startswith("_")
        )


def can_be_asked(cls: type) -> bool:
    """Whether a class has a hash, a name and bases, which a metaclass may refuse to give."""
    try:
        hash(cls)
        return bool(cls.__module__ and cls.__qualname__ and cls.__mro__)
    except Exception:  # from the metaclass
        return False


def modules_of(package: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the imported modules of a package with their contents, always in the same order."""
    for name in sorted(sys.modules):
        if name.partition(".")[0] == package:
            yield name, vars(sys.modules[name])


def attributes_of(cls: type) -> set[str]:
    """Return the names of attributes that a class shows for its instances."""
    return {name for owner in cls.__mro__ for name in (*vars(owner), *inspect.get_annotations(owner))}


def subclasses(cls: type) -> list[type]:
    """Return all subclasses of a class, the simplest first.

    The order is by same package, no part of the same family, and few required arguments.
    """
    root = cls.__module__.partition(".")[0]

    def order(subclass: type) -> Any:
        return (
            subclass.__module__.partition(".")[0] != root,
            is_made_of(subclass, cls),
            needs(subclass),
            subclass.__module__,
            subclass.__qualname__,
        )

    return sorted(filter(is_of_its_module, dict.fromkeys(below(cls))), key=order)


def is_made_of(cls: type, base: type) -> bool:
    """Whether a required argument is of a class between `cls` and `base`, as a sum takes terms."""
    try:
        annotations = [part.annotation for part in required(parameters_of(cls, cls))]
    except (TypeError, ValueError):
        return False
    return any(
        kind in cls.__mro__ and base in kind.__mro__ for each in annotations for kind in classes_named(each)
    )


def classes_named(annotation: Any) -> Iterator[type]:
    """Yield the classes in an annotation, also as parts of containers and unions."""
    kind = typing.get_origin(annotation) or annotation
    if isinstance(kind, type):
        yield kind
    for part in typing.get_args(annotation):
        yield from classes_named(part)


def is_of_its_module(cls: type) -> bool:
    """Whether the module of a class holds it by its name, unlike a twin that a law has made."""
    return held_by(cls.__module__, cls.__qualname__) is cls and not cls.__module__.endswith(TWIN)


def needs(maker: Any) -> int:
    """Count the required arguments of a class or function, or return 99 if there is no signature."""
    try:
        return len(required(parameters_of(maker, maker if isinstance(maker, type) else None)))
    except (TypeError, ValueError):
        return 99
