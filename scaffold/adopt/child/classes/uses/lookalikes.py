"""Classes that have the attributes that a call asked for: what its argument is, where no annotation says it."""

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
"""How Python, and a tracer of jax, say that a value lacks an attribute."""
_GIVEN = re.compile(r"__call__\(\) takes .*positional arguments? but (\d+) were given")
"""How Python says that a call was given more arguments, itself among them."""
_NOT_CALLABLE = re.compile(r"not (a )?callable|must be callable")
"""How Python and libraries say that a function belongs in the place of a value."""
MAX_CLASSES = 3


def lacking(messages: Iterable[str], owner: str) -> tuple[set[str], set[str]]:
    """The attributes that errors say values lack that are none of this class, and the names of their classes."""
    matches = [match for text in messages for match in _LACKING.finditer(text) if match[1] != owner]
    return {match[2] or match[3] for match in matches}, {match[1] for match in matches if match[1]}


def lookalikes(cls: type, messages: Iterable[str]) -> list[Any]:
    """The pytrees of a class's package that errors ask for: by their names, their attributes, or how many arguments they take; at last functions."""
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
    """The first of the bases of a class that are of its package: what wraps a module often wraps one of its own family."""
    package = cls.__module__.partition(".")[0]
    bases = [base for base in cls.__mro__[1:] if base.__module__.partition(".")[0] == package]
    return [base for base in bases[::-1] if kind_of(base).name in KINDS][:1]


def below(cls: type) -> Iterator[type]:
    """The classes that derive from one, and of a protocol those of its package that fit it."""
    subclasses: list[type] = type.__subclasses__(cls)
    for each in filter(can_be_asked, [*subclasses, *fitting(cls)]):
        yield each
        yield from below(each)


def fitting(cls: type) -> list[type]:
    """The classes of the package of a protocol that have all its members, without deriving from it."""
    members = protocol_members(cls)
    if not members:
        return []
    package = cls.__module__.partition(".")[0]
    if package in ("jax", "numpy"):  # they say what an array is, of which there are examples
        return []
    others = dict.fromkeys(classes_in(package))
    concrete = (other for other in others if not getattr(other, "_is_protocol", False))
    return [other for other in concrete if cls not in other.__mro__ and members <= attributes_of(other)]


KINDS = ("abstract", "module", "nnx", "namedtuple", "registered")


def accepts(cls: type, count: int) -> bool:
    """Whether the call of an instance takes so many arguments by position."""
    has_call = any("__call__" in vars(owner) for owner in cls.__mro__)
    parameters = parameters_of_method(cls, "__call__") if has_call else None
    by_position = [part for part in parameters or () if part.kind is part.POSITIONAL_OR_KEYWORD]
    return parameters is not None and len(required(by_position)) <= count <= len(by_position)


def classes_in(package: str) -> Iterator[type]:
    """The public classes of the modules of a package that are imported, in an order that is always the same."""
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
    """Whether a class says what it is called and derives from, and can be told from others: a metaclass may refuse all of it."""
    try:
        hash(cls)
        return bool(cls.__module__ and cls.__qualname__ and cls.__mro__)
    except Exception:  # of the metaclass
        return False


def modules_of(package: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The modules of a package that are imported, with what they hold, in an order that is always the same."""
    for name in sorted(sys.modules):
        if name.partition(".")[0] == package:
            yield name, vars(sys.modules[name])


def attributes_of(cls: type) -> set[str]:
    """The names of what an instance has, as far as its class shows it."""
    return {name for owner in cls.__mro__ for name in (*vars(owner), *inspect.get_annotations(owner))}


def subclasses(cls: type) -> list[type]:
    """All classes below one: those of the same package first, then those that are made of no other, and that need the fewest arguments."""
    root = cls.__module__.partition(".")[0]

    def order(subclass: type) -> Any:
        return (
            not subclass.__module__.startswith(root),
            is_made_of(subclass, cls),
            needs(subclass),
            subclass.__module__,
            subclass.__qualname__,
        )

    return sorted(filter(is_of_its_module, dict.fromkeys(below(cls))), key=order)


def is_made_of(cls: type, base: type) -> bool:
    """Whether a class needs an instance of a class, or of one that it is an heir of, to be built: a sum is one of its terms."""
    try:
        annotations = [part.annotation for part in required(parameters_of(cls, cls))]
    except (TypeError, ValueError):
        return False
    return any(
        kind in cls.__mro__ and base in kind.__mro__ for each in annotations for kind in classes_named(each)
    )


def classes_named(annotation: Any) -> Iterator[type]:
    """The classes that an annotation names, also as parts of containers and of unions."""
    kind = typing.get_origin(annotation) or annotation
    if isinstance(kind, type):
        yield kind
    for part in typing.get_args(annotation):
        yield from classes_named(part)


def is_of_its_module(cls: type) -> bool:
    """Whether its module has it by its name, and not a law that made it for a comparison."""
    return held_by(cls.__module__, cls.__qualname__) is cls and not cls.__module__.endswith(TWIN)


def needs(maker: Any) -> int:
    """How many arguments a class cannot be built without, or a function called."""
    try:
        return len(required(parameters_of(maker, maker if isinstance(maker, type) else None)))
    except (TypeError, ValueError):
        return 99
