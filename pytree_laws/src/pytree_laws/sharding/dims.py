"""Names of dims in jaxtyping annotations."""

import inspect
import sys
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import jax
import numpy as np

from ..inspect.parameter_values import hints_of
from ..inspect.trees import is_named_tuple

Dims = tuple[str, ...]


def dims_of_leaves(instance: Any) -> dict[str, Dims]:
    """Map the path of each array in an instance to the names of its dims, as its class annotates them."""
    return {path: dims for path, dims in _named(type(instance), instance, "", ()) if dims}


def own_dims(instance: Any) -> dict[str, Dims]:
    """Return the dims of the arrays that no other annotated class holds."""
    values = {name: getattr(instance, name, None) for name in hints_of(type(instance))}
    inner = {n for n, v in values.items() for part in _parts(v) if hints_of(type(part))}
    pairs = dims_of_leaves(instance).items()
    return {path: dims for path, dims in pairs if path.partition(".")[0] not in inner}


def dims_of_call(call: Any, arguments: Sequence[Any]) -> tuple[list[Dims | None], list[Dims | None]]:
    """Return the names of the dims of each array argument and of each result, or None without names."""
    try:
        hints = typing.get_type_hints(call)
        names = [*inspect.signature(call).parameters]
    except (NameError, TypeError, ValueError, AttributeError):
        return [None] * len(arguments), []
    annotations = [hints.get(name) for name in names]
    annotations += [None] * (len(arguments) - len(annotations))
    dims = [_first(hint, value) for hint, value in zip(annotations, arguments)]
    returned = hints.get("return")
    several = typing.get_args(returned) if typing.get_origin(returned) is tuple else ()
    return dims, [_tokens(annotation) for annotation in (several or (returned,))]


def results_with_dims(annotation: Any) -> list[str]:
    """List the paths of the results for which an annotation names dims."""
    several = typing.get_args(annotation) if typing.get_origin(annotation) is tuple else ()
    if not several:
        return [""] if _tokens(annotation) is not None else []
    return [str(index) for index, member in enumerate(several) if _tokens(member) is not None]


def _named(annotation: Any, value: Any, path: str, above: tuple[Any, ...]) -> Iterator[tuple[str, Dims]]:
    """Yield the paths of the arrays in a value, with the names of dims in their annotations.

    Values in `above` are skipped, since a part may refer back to the instance that holds it.
    """
    value = _in_variable(value)
    if any(value is holder for holder in above):
        return
    above = (*above, value)
    if isinstance(value, np.ndarray | jax.Array):
        yield path, _first(annotation, value) or ()
    elif _is_list(value):
        items = _items(annotation, len(value))
        for index, child in enumerate(value):
            yield from _named(items[index], child, _below(path, index), above)
    elif isinstance(value, Mapping):
        item = (*_options(annotation, 2), None)[0]
        for name, child in value.items():
            yield from _named(item, child, _below(path, name), above)
    else:
        yield from _fields(value, path, above)


def _in_variable(value: Any) -> Any:
    """Return the value of a Flax Variable, or any other value unchanged."""
    nnx: Any = sys.modules.get("flax.nnx")
    is_variable = nnx is not None and isinstance(value, nnx.Variable)
    return value.get_value() if is_variable else value


def _fields(value: Any, path: str, above: tuple[Any, ...]) -> Iterator[tuple[str, Dims]]:
    if isinstance(value, type) or not hasattr(type(value), "__mro__"):
        return
    for name, hint in hints_of(type(value)).items():
        inner = getattr(value, name, None)
        if inner is not None:
            yield from _named(hint, inner, _below(path, name), above)


def _parts(value: Any) -> Iterator[Any]:
    """Yield a value other than an array, or such values in its containers."""
    value = _in_variable(value)
    if isinstance(value, Mapping) or _is_list(value):
        for child in value.values() if isinstance(value, Mapping) else value:
            yield from _parts(child)
    elif not (isinstance(value, np.ndarray | jax.Array)):
        yield value


def _is_list(value: Any) -> bool:
    """Whether the items of a value have paths by index, unlike the items of a NamedTuple."""
    return isinstance(value, Sequence) and not isinstance(value, str | bytes) and not is_named_tuple(value)


def _items(annotation: Any, count: int) -> list[Any]:
    for member in _members(annotation):
        arguments = typing.get_args(member)
        if arguments and (len(arguments) == 1 or arguments[-1] is ...):
            return [arguments[0]] * count
        if len(arguments) == count:
            return [*arguments]
    return [None] * count


def _options(annotation: Any, count: int) -> list[Any]:
    """Return the last parameter of each generic type in a union that has `count` parameters."""
    argument_lists = map(typing.get_args, _members(annotation))
    return [arguments[-1] for arguments in argument_lists if len(arguments) == count]


def _first(annotation: Any, value: Any) -> Dims | None:
    """Return the names of the dims of an array from the first annotation with the same rank."""
    rank = getattr(value, "ndim", None)
    candidates = (_tokens(member) for member in _members(annotation))
    return next((dims for dims in candidates if dims is not None and len(dims) == rank), None)


def _members(annotation: Any) -> list[Any]:
    """List the members of a union, and the type inside a Flax Variable."""
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        return [part for member in typing.get_args(annotation) for part in _members(member)]
    inner = [argument for argument in typing.get_args(annotation) if hasattr(argument, "dim_str")]
    return [annotation, *inner] if len(inner) == 1 else [annotation]


def _tokens(annotation: Any) -> Dims | None:
    """Return the dims of a jaxtyping array type, or None for any other type or a variable rank."""
    text = getattr(annotation, "dim_str", None)
    if not isinstance(text, str) or "*" in [part[0] for part in text.split()]:
        return None
    return None if "..." in text else tuple(part.strip("#?") for part in text.split())


def _below(path: str, name: Any) -> str:
    return f"{path}.{name}" if path else str(name)
