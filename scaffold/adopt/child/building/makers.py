"""Makers of a class: its constructor, class methods, static methods and factories."""

import inspect
import re
import sys
from collections.abc import Iterator
from typing import Any

from ..values.annotations import EMPTY, is_array_type, is_shaped, known_parameters, parameters_of, required
from ..values.names import KEY
from ..values.sizes import LARGEST
from ..values.sources import Source, refer
from .factories import factories_of, is_named_by, may_build, text_of

COMPLETING = ("create", "init", "initialize", "make")
"""Names of methods that are preferred to a constructor that `dataclasses` generates."""
MAKERS = (*COMPLETING, "identity", "from_random")
GENERATED = "<string>"
"""File name of code that `dataclasses` generates."""
CHECKS = frozenset(("__post_init__", "__check_init__"))


def makers_of(cls: Any) -> Iterator[tuple[str, Any, frozenset[str]]]:
    """Yield makers as a name, a callable, and the sizes to pass even if they have defaults.

    Factories that the class docstring names come first. Before the constructor come makers that create arrays
    or complete the fields.
    """
    names = [
        name
        for owner in cls.__mro__
        for name, value in vars(owner).items()
        if isinstance(value, classmethod | staticmethod) and may_build(cls, name) and returns(value, cls)
    ]
    ordered = sorted(dict.fromkeys(names), key=lambda name: (name not in MAKERS, names.index(name)))
    makers = {name: getattr(cls, name) for name in ordered}
    sizes = {name: sizes_of_arrays(cls, maker) for name, maker in makers.items() if name in MAKERS}
    completed = COMPLETING if takes_parts(cls) else ()
    first = [name for name in sizes if sizes[name] or draws_arrays(cls, makers[name]) or name in completed]
    first += [name for name in ordered if name not in first and takes_private_parts(cls)]
    factories = dict(factories_of(cls))
    shown = [name for name in factories if is_named_by(cls, name)]
    yield from ((name, factories[name], frozenset()) for name in shown)
    yield from ((name, makers[name], sizes.get(name, frozenset())) for name in first)
    yield "", cls, frozenset()
    yield from ((name, makers[name], frozenset()) for name in ordered if name not in first)
    yield from ((name, factories[name], frozenset()) for name in factories if name not in shown)


def takes_parts(cls: type) -> bool:
    """Whether `dataclasses` generated the constructor, which stores the fields unchecked."""
    code = getattr(inspect.unwrap(cls.__init__), "__code__", None)
    return code is not None and code.co_filename == GENERATED and not CHECKS & {*dir(cls)}


def takes_private_parts(cls: type) -> bool:
    """Whether the constructor requires a private argument, so that users build the class otherwise."""
    try:
        return any(part.name.startswith("_") for part in required(parameters_of(cls, cls)))
    except (TypeError, ValueError):
        return False


def draws_arrays(cls: type, maker: Any) -> bool:
    """Whether a maker takes a random key in place of the arrays that the constructor requires."""
    given = {parameter.name for parameter in known_parameters(maker, cls)}
    needed = [part for part in known_parameters(cls, cls) if part.default is EMPTY]
    arrays = {part.name for part in needed if is_array_type(part.annotation) or is_shaped(part.annotation)}
    return bool(arrays) and any(map(KEY.search, given)) and arrays.isdisjoint(given)


def sizes_of_arrays(cls: type, maker: Any) -> frozenset[str]:
    """Return the sizes that a maker shares with the constructor, if the maker creates the arrays.

    This applies to arrays without annotated shape. A small default is kept, since it may choose what is
    computed.
    """
    given = {parameter.name: parameter.default for parameter in known_parameters(maker, cls)}
    parameters = known_parameters(cls, cls)
    made = [part for part in parameters if part.default is EMPTY and is_array_type(part.annotation)]
    if not made or not given.keys().isdisjoint(part.name for part in made):
        return frozenset()
    sizes = (part.name for part in parameters if part.annotation is int and part.name in given)
    return frozenset(name for name in sizes if not is_small(given[name]))


def is_small(value: Any) -> bool:
    """Whether a default is a number with which tests are quick."""
    return isinstance(value, int) and value < LARGEST


def returns(method: Any, cls: type) -> bool:
    """Whether a method returns an instance of the class.

    A class method may lack an annotation, but a static method may not.
    """
    wanted = getattr(method.__func__, "__annotations__", {}).get("return", EMPTY)
    text = text_of(wanted)
    names = {base.__name__ for base in cls.__mro__} | {"Self"}
    if wanted is EMPTY:
        return isinstance(method, classmethod)
    return any(word in names for word in re.findall(r"\w+", text)) or text.startswith("~")


def named(cls: type, name: str, maker: Any) -> Source:
    """Return the source of a maker: the class, a method of the class, or a factory."""
    if inspect.isfunction(maker) and maker is getattr(sys.modules.get(maker.__module__), name, None):
        return refer(maker)
    reference = refer(cls)
    return reference.but(f"{reference.text}.{name}") if name else reference
