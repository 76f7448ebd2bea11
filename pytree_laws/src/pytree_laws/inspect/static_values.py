"""Static values: their faults, and alternatives of the same type."""

import copy
import dataclasses
import enum
import functools
import inspect
import math
import re
import types
from collections.abc import Iterable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ..report import or_else
from .arrays import is_array
from .branches import compared_strings
from .classes import LIBRARIES
from .references import MUTABLE, caches_of, parts_of, static_parts
from .trees import attributes, clone_as, flatten, look_up

NEW = "it is new, and unequal, in each instance"
CAN_CHANGE = "it can change after a compilation"
NOT_FROZEN = f"a dataclass that is not frozen: {CAN_CHANGE}"
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
NUMPY = "a number of NumPy: it equals one of Python, and computes in another dtype"


def static_fault(value: Any) -> str | None:
    """Return the reason why a value must not be static, or None."""
    if isinstance(value, np.generic):
        return NUMPY
    if is_array(value):
        return "an array: == on it has no truth value, and it gets no gradient"
    if isinstance(value, MUTABLE):
        return f"a {type(value).__name__}: {CAN_CHANGE}"
    if isinstance(value, float) and math.isnan(value):
        return "NaN: it never equals itself, so every call is traced anew"
    if isinstance(value, functools.partial | types.MethodType):
        return f"a {type(value).__name__}: {NEW}"
    name = getattr(value, "__qualname__", "") if callable(value) else ""
    if "<lambda>" in name or ("<locals>" in name and not isinstance(value, type)):
        return f"a local function, {name}: {NEW}"
    if isinstance(value, tuple | frozenset):
        return next(filter(None, map(static_fault, value)), None)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        if not is_frozen(value):
            return NOT_FROZEN
        if compares_itself(value):
            return None
        kept = {name: each for name, each in attributes(value).items() if name not in caches_of(type(value))}
        return next(filter(None, map(static_fault, kept.values())), None)
    return None


@or_else(False)
def compares_itself(value: Any) -> bool:
    """Whether the author of a value's class wrote working `__eq__` and `__hash__`.

    These also decide how its arrays compare.
    """
    methods = (getattr(type(value), name, None) for name in ("__eq__", "__hash__"))
    codes = [getattr(method, "__code__", None) for method in methods]
    # Those of `object` have no code, and those that `dataclass` writes no file.
    if any(code is None or code.co_filename == "<string>" for code in codes):
        return False
    twin = copy.copy(value)
    return hash(value) == hash(twin) and (value == twin) is True


def mutable_ids(value: Any) -> set[int]:
    """Return the ids of the mutable containers in a static value."""
    return {id(part) for part in parts_of(value) if isinstance(part, MUTABLE)}


def is_made_anew(value: Any, again: Any) -> bool:
    """Whether each flatten makes the mutable containers of a static value anew, so no object shares them."""
    ids = mutable_ids(value)
    return bool(ids) and ids.isdisjoint(mutable_ids(again))


def are_functions_of_libraries(value: Any) -> bool:
    """Whether the leaves of a value are functions of libraries, such as `optax.adam(1e-3)`.

    Each call of such a factory returns new functions.
    """
    parts = jax.tree.leaves(value)
    homes = {(getattr(part, "__module__", None) or "").partition(".")[0] for part in parts}
    return bool(parts) and all(map(inspect.isfunction, parts)) and homes <= {*LIBRARIES}


@or_else(True, AttributeError, TypeError)
def is_frozen(value: Any) -> bool:
    """Whether a dataclass refuses assignment, by its decorator or by a `__setattr__` such as Equinox's."""
    if type(value).__dataclass_params__.frozen:
        return True
    name, attribute = next(iter(attributes(value).items()), ("", None))
    setattr(value, name, attribute)
    return False


def is_unhashable(value: Any) -> bool:
    """Whether a static value has no hash for a reason other than an array."""
    try:
        hash(with_slices_as_tuples(value))
    except TypeError:
        return not any(map(is_array, jax.tree.leaves(value)))
    return False


def with_slices_as_tuples(value: Any) -> Any:
    """Replace slices by tuples, since Python hashes slices only from 3.12 on."""
    if isinstance(value, slice):
        return value.start, value.stop, value.step
    if type(value) is tuple:
        return tuple(map(with_slices_as_tuples, value))
    return value


def structures_in(value: Any) -> Iterator[Any]:
    """Yield each `jax.ShapeDtypeStruct` in a static value."""
    if isinstance(value, jax.ShapeDtypeStruct):
        yield value
    elif isinstance(value, dict):
        yield from structures_in([*value.values()])
    elif isinstance(value, tuple | list | frozenset):
        for member in value:
            yield from structures_in(member)


def said_in_bfloat16(instance: Any) -> Any:
    """Return the instance with floating `jax.ShapeDtypeStruct` in its fields changed to bfloat16.

    The result is as if the constructor had been given an example in bfloat16.
    """

    def narrow(value: Any) -> Any:
        is_float = isinstance(value, jax.ShapeDtypeStruct) and jnp.issubdtype(value.dtype, jnp.floating)
        return jax.ShapeDtypeStruct(value.shape, jnp.bfloat16) if is_float else value

    said = {name: value for name, value in attributes(instance).items() if [*structures_in(value)]}
    narrowed = {name: jax.tree.map(narrow, value) for name, value in said.items()}
    return clone_as(type(instance), instance, **narrowed) if said else instance


def another_value(value: Any) -> Any:
    """Return another static value of the same type, or None if none is obvious."""
    if isinstance(value, bool):
        return not value
    if type(value) is float and 0 <= value < 1:
        return (1 + value) / 2  # a share, or a chance, stays one
    if type(value) in (int, float):
        return value + 1 if value + 1 != value else 0.5  # 1e300 + 1 is 1e300
    if type(value) is str:
        return value + "x"
    if type(value) is frozenset and value:
        return value - {min(value, key=repr)}
    return (*value, *value[:1]) if type(value) is tuple and value else None


def alternatives(value: Any, told_apart: Iterable[str] = ()) -> list[Any]:
    """List other static values of the same type, first the strings that code compares with.

    The list is meant to contain a value that makes a difference.
    """
    if type(value) is str:
        return [*(text for text in told_apart if text != value), another_value(value)]
    if isinstance(value, enum.Enum):
        return [member for member in type(value) if member is not value]
    if isinstance(value, bool):
        return [not value]
    if type(value) is int:
        return [value + 1, value - 1, 0, 2 * value + 3]
    if type(value) is float:
        return [value + 1, 2 * value, -value, 0.0]
    if callable(value):
        return [function for function in (jnp.sin, jnp.cos) if function is not value]
    return [another_value(value)]


def alternatives_at(instance: Any, path: str) -> list[Any]:
    """List alternatives to the static value at a path, with strings that the class compares it with."""
    told_apart = compared_strings(type(instance), path)
    return [other for other in alternatives(look_up(instance, path), told_apart) if other is not None]


@or_else(None)
def with_functions_of(earlier: Any, later: Any) -> Any:
    """Return `later` with functions and static parts of `earlier`, if the two were made alike.

    Functions that a part's constructor makes anew concern the class of that part. Return None if treedefs
    differ in more than addresses, nothing is made anew, or static parts hold mutable containers.
    """
    (first, treedef), (second, other) = flatten(earlier), flatten(later)
    if not reads_the_same(treedef, other):
        return None
    anew = [is_made_alike(*pair) for pair in zip(first, second)]
    is_anew = treedef != other
    holds_containers = is_anew and any(mutable_ids(part) for _, part in static_parts(later))
    if holds_containers or not (is_anew or any(anew)):
        return None
    return treedef.unflatten([old if alike else new for old, new, alike in zip(first, second, anew)])


def is_made_alike(old: Any, new: Any) -> bool:
    """Whether two functions differ only by their addresses, because code made one function twice."""
    return old is not new and callable(old) and not is_array(old) and reads_the_same(old, new)


def reads_the_same(value: Any, other: Any) -> bool:
    """Whether two values are equal, or their texts differ only by addresses."""
    return bool(value == other) or _ADDRESS.sub("", str(value)) == _ADDRESS.sub("", str(other))
