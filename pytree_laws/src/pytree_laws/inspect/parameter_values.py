"""Other values of a parameter, from its annotation, its default and its argument."""

import contextlib
import enum
import re
import types
import typing
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

from ..report import or_else
from .arrays import is_array, is_key
from .trees import look_up


def other_values(annotation: Any, default: Any, argument: Any) -> list[Any]:
    """List other values of a parameter that its annotation allows, in a fixed order."""
    result = list[Any]()
    for value in _others(annotation, default, argument):
        if not any(_same(value, other) for other in (argument, *result)):
            result.append(value)
    return result


def _others(annotation: Any, default: Any, argument: Any) -> Iterator[Any]:
    parts = list(members(annotation))
    if isinstance(argument, bool) or (bool in parts and not _takes_numbers(parts)):
        yield from (False, True)
    for part in parts:
        if typing.get_origin(part) is typing.Literal:
            yield from typing.get_args(part)
        if isinstance(part, type) and issubclass(part, enum.Enum):
            yield from part
    if default is None or type(None) in parts:
        yield None
    if isinstance(argument, jax.Array) and not is_key(argument) and _is_array_like(annotation, parts):
        host = np.asarray(argument)
        yield host
        if _takes_numbers(parts) and host.shape == ():
            yield host.item()
    if isinstance(argument, dict) and argument and all(isinstance(key, str) for key in argument):
        yield from _with_other_keys(annotation, argument)


def hints_of(cls: type) -> dict[str, Any]:
    """Return the annotations of a class and its bases that can be resolved."""
    if cls.__module__ == "builtins":
        return {}
    with contextlib.suppress(Exception):  # a name that only type checkers know
        return typing.get_type_hints(cls)
    return {
        name: hint
        for owner in reversed(cls.__mro__)
        for name, hint in vars(owner).get("__annotations__", {}).items()
        if not isinstance(hint, str)
    }


@or_else(())
def literal_values(cls: type, name: str) -> tuple[Any, ...]:
    """Return the values that `style: Literal["long", "short"]` lists, or nothing for other annotations."""
    annotation = typing.get_type_hints(cls).get(name)
    return typing.get_args(annotation) if typing.get_origin(annotation) is typing.Literal else ()


def members(annotation: Any) -> Iterator[Any]:
    """Yield the types in an annotation, with unions flattened and `Annotated` removed."""
    if isinstance(annotation, str):
        yield from _read(annotation)
    elif typing.get_origin(annotation) in (typing.Union, types.UnionType):
        for part in typing.get_args(annotation):
            yield from members(part)
    elif typing.get_origin(annotation) is typing.Annotated:
        yield from members(typing.get_args(annotation)[0])
    else:
        yield type(None) if annotation is None else annotation


def _read(text: str) -> Iterator[Any]:
    """Yield `bool` and `NoneType` if an unevaluated annotation contains them."""
    words = re.split(r"\s*\|\s*", text)
    yield from (bool for word in words if word == "bool")
    yield from (type(None) for word in words if word == "None" or word.startswith("Optional["))


def _takes_numbers(parts: list[Any]) -> bool:
    return any(part in (int, float, complex) for part in parts)


def _is_array_like(annotation: Any, parts: list[Any]) -> bool:
    """Whether an annotation allows both NumPy and jax arrays."""
    return "ArrayLike" in str(annotation) or (
        any(_is_kind(part, np.ndarray) for part in parts) and any(_is_kind(part, jax.Array) for part in parts)
    )


def takes_arrays(annotation: Any) -> bool:
    """Whether an annotation allows jax arrays."""
    arrays = any(_is_kind(value, jax.Array) for value in members(annotation))
    return arrays or "ArrayLike" in str(annotation)


def _is_kind(part: Any, wanted: type) -> bool:
    array_type = getattr(part, "array_type", part)  # of a type of jaxtyping
    return isinstance(array_type, type) and issubclass(array_type, wanted)


def _with_other_keys(annotation: Any, arguments: dict[str, Any]) -> Iterator[Any]:
    """Yield the dict with a further key that sorts first.

    A `TypedDict` declares its keys, and a dict without arrays holds options, so neither gets a key.
    """
    is_declared = getattr(annotation, "__required_keys__", None) is not None
    if not is_declared and any(map(is_array, jax.tree.leaves(arguments))):
        first = min(arguments)
        yield {**arguments, f"A{first}": arguments[first]}


def _same(value: Any, other: Any) -> bool:
    """Whether two values are the same choice: arrays and dicts by identity, others by type and equality."""
    if is_array(value) or is_array(other) or isinstance(value, dict):
        return value is other
    return type(value) is type(other) and value == other


def value_text(value: Any) -> str:
    """Describe a value for a message."""
    if isinstance(value, np.ndarray):
        return "an array of NumPy"
    if is_array(value):
        return "an array"
    if isinstance(value, dict):
        return f"a dict of the keys {', '.join(map(repr, value))}"
    if any(map(is_array, jax.tree.leaves(value))):
        return f"another {type(value).__name__}"
    return repr(value)


@or_else(False, AttributeError, LookupError, TypeError)
def may_be_of_numpy(instance: Any, path: str) -> bool:
    """Whether a field is annotated as a NumPy array, or belongs to a class of Equinox.

    Equinox stores the number of an enumeration item in a NumPy array.
    """
    above, _, name = path.rpartition(".")
    holder = type(look_up(instance, above) if above else instance)
    kinds = members(hints_of(holder).get(name, Any))
    said = (kind is np.ndarray or getattr(kind, "array_type", None) is np.ndarray for kind in kinds)
    return holder.__module__.startswith("equinox.") or any(said)


@or_else(False, AttributeError, LookupError, TypeError)
def is_of_item(instance: Any, path: str) -> bool:
    """Whether a leaf is the number of an `EnumerationItem` of Equinox, which all instances share."""
    above, _, name = path.rpartition(".")
    kinds = type(look_up(instance, above)).__mro__ if above else ()
    named = ((kind.__module__.partition(".")[0], kind.__name__) for kind in kinds)
    return name == "_value" and ("equinox", "EnumerationItem") in named
