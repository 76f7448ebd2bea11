"""Instances whose defaults of 0 and 1 change nothing, such as a pose that does not rotate."""

import dataclasses
import inspect
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pytree_laws.inspect.arrays import is_array, is_inexact
from pytree_laws.inspect.trees import arrays_of

from ...values.annotations import EMPTY, parameters_of
from ...values.context import FLOATS, SHAPES
from ...values.domains import SHARES, apart, within
from ...values.plain import tuple_of
from ...values.sources import Source, refer
from ..built import Built, Failure, builds
from .allowed import holds_for_values
from .reduce import with_reduced


def with_telling(cls: type, built: Built) -> Iterator[Built]:
    """Yield variants with small sizes and telling numbers, and then the construction itself."""
    for way in with_other_numbers(cls, built):
        yield from with_reduced(cls, way)


def with_other_numbers(cls: type, built: Built) -> Iterator[Built]:
    """Yield a variant with other numbers for neutral defaults, and then the construction itself.

    If the instance holds any other number, only array defaults of 0 change.
    """
    moved = moved_defaults(cls, built)
    is_all = bool(moved) and is_neutral(built)
    chosen = moved if is_all else {name: source for name, source in moved.items() if is_absent(cls, name)}
    if chosen:
        other = replace(built, arguments=apart({**built.arguments, **chosen}))
        if builds(cls, other, Failure()) and holds_for_values(other) and not is_neutral(other):
            yield other
    yield built


def moved_defaults(cls: type, built: Built) -> dict[str, Source]:
    """Return other numbers for the defaults of 0 or 1.

    A weakly typed default stays, because law P5 reports it.
    """
    if built.positional or built.has_state or built.maker.text != refer(cls).text:
        return {}
    numbers = itertools.cycle(FLOATS)
    spare = (part for part in parameters_of(cls, cls) if part.name not in built.arguments)
    defaults = {part.name: default_of(cls, part) for part in spare}
    of_own_type = {name: value for name, value in defaults.items() if not getattr(value, "weak_type", False)}
    sources = {name: other_numbers(value, numbers) for name, value in of_own_type.items()}
    return {name: source for name, source in sources.items() if source is not None}


def is_absent(cls: type, name: str) -> bool:
    """Whether the default of an argument is an array of 0, such as a state at rest."""
    [part] = [part for part in parameters_of(cls, cls) if part.name == name]
    default = default_of(cls, part)
    return is_array(default) and not np.asarray(default).any()


def shapes_beside(cls: type, parameters: Sequence[inspect.Parameter]) -> Sequence[tuple[int, ...]]:
    """Return the array shapes to try, with `()` first if all array defaults have no axes."""
    arrays = [default for part in parameters if is_array(default := default_of(cls, part))]
    is_scalar = bool(arrays) and all(array.ndim == 0 for array in arrays)
    return [(), *filter(None, SHAPES)] if is_scalar else SHAPES


def default_of(cls: type, parameter: inspect.Parameter) -> Any:
    """Return the default of a parameter, or the value that the `default_factory` of its field makes."""
    fields: dict[str, Any] = getattr(cls, "__dataclass_fields__", {})
    made = getattr(fields.get(parameter.name), "default_factory", dataclasses.MISSING)
    if parameter.default is EMPTY or made is dataclasses.MISSING:
        return parameter.default
    try:
        return made()
    except Exception:
        return parameter.default


def other_numbers(default: Any, numbers: Iterator[str]) -> Source | None:
    """Return numbers for a float, a tuple of floats or an array of floats, if all are 0 or 1."""
    if is_array(default) and is_inexact(default) and has_neutral_numbers(default):
        drawn = f"sample(seed, {default.shape})" if default.shape else "sample(seed)"
        return within(SHARES, {"": Source(drawn)})[""]
    parts: tuple[Any, ...] = default if type(default) is tuple else (default,)
    if not parts or not all(type(part) is float for part in parts) or not has_neutral_numbers(parts):
        return None
    sources = [Source(next(numbers)) for _ in parts]
    return tuple_of(sources) if type(default) is tuple else sources[0]


def has_neutral_numbers(value: Any) -> bool:
    """Whether all numbers of an array or a tuple are 0 or 1."""
    return bool(np.isin(np.asarray(value), (0, 1)).all())


def is_neutral(built: Built) -> bool:
    """Whether an instance holds floats, and all of them are 0 or 1."""
    try:
        leaves = [leaf for leaf in arrays_of(built.source.value(0)) if is_inexact(leaf)]
        return bool(leaves) and all(map(has_neutral_numbers, leaves))
    except Exception:
        return False
