"""Static values: what is wrong with one, and others of its type."""

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
    """What is wrong with a value as static, or None."""
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
    """Whether the class of a static value has an `__eq__` and a `__hash__` of its author's, which say of its arrays what they are."""
    methods = (getattr(type(value), name, None) for name in ("__eq__", "__hash__"))
    codes = [getattr(method, "__code__", None) for method in methods]
    # Those of `object` have no code, and those that `dataclass` writes no file.
    if any(code is None or code.co_filename == "<string>" for code in codes):
        return False
    twin = copy.copy(value)
    return hash(value) == hash(twin) and (value == twin) is True


def mutable_ids(value: Any) -> set[int]:
    """The ids of the containers in a static value that can change."""
    return {id(part) for part in parts_of(value) if isinstance(part, MUTABLE)}


def is_made_anew(value: Any, again: Any) -> bool:
    """Whether what can change in a static value is of one flatten alone, and not in that of another: nobody else holds it."""
    ids = mutable_ids(value)
    return bool(ids) and ids.isdisjoint(mutable_ids(again))


def are_functions_of_libraries(value: Any) -> bool:
    """Whether a value is made of functions that a library has made, as `optax.adam(1e-3)` is: they are new each time that it is called."""
    parts = jax.tree.leaves(value)
    homes = {(getattr(part, "__module__", None) or "").partition(".")[0] for part in parts}
    return bool(parts) and all(map(inspect.isfunction, parts)) and homes <= {*LIBRARIES}


@or_else(True, AttributeError, TypeError)
def is_frozen(value: Any) -> bool:
    """Whether a dataclass refuses an assignment: by its decorator, or by a method of its own, as that of Equinox, whose copies take one."""
    if type(value).__dataclass_params__.frozen:
        return True
    name, attribute = next(iter(attributes(value).items()), ("", None))
    setattr(value, name, attribute)
    return False


def is_unhashable(value: Any) -> bool:
    """Whether a static value has no hash, and no array is the reason."""
    try:
        hash(with_slices_as_tuples(value))
    except TypeError:
        return not any(map(is_array, jax.tree.leaves(value)))
    return False


def with_slices_as_tuples(value: Any) -> Any:
    """What has a hash where it has one since Python 3.12."""
    if isinstance(value, slice):
        return value.start, value.stop, value.step
    if type(value) is tuple:
        return tuple(map(with_slices_as_tuples, value))
    return value


def structures_in(value: Any) -> Iterator[Any]:
    """The structures of arrays, with their dtypes, that a static value says."""
    if isinstance(value, jax.ShapeDtypeStruct):
        yield value
    elif isinstance(value, dict):
        yield from structures_in([*value.values()])
    elif isinstance(value, tuple | list | frozenset):
        for member in value:
            yield from structures_in(member)


def said_in_bfloat16(instance: Any) -> Any:
    """The instance, with the structures of floating arrays that its static values say in bfloat16, as if it were built with an example in it."""

    def narrow(value: Any) -> Any:
        is_float = isinstance(value, jax.ShapeDtypeStruct) and jnp.issubdtype(value.dtype, jnp.floating)
        return jax.ShapeDtypeStruct(value.shape, jnp.bfloat16) if is_float else value

    said = {name: value for name, value in attributes(instance).items() if [*structures_in(value)]}
    narrowed = {name: jax.tree.map(narrow, value) for name, value in said.items()}
    return clone_as(type(instance), instance, **narrowed) if said else instance


def another_value(value: Any) -> Any:
    """Another static value of the same type, or None where none is obvious."""
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
    """Other static values of the same type, among them one that should matter: first those that the code tells apart."""
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
    """Those of the static value that an instance holds at a path, by what its code tells apart."""
    told_apart = compared_strings(type(instance), path)
    return [other for other in alternatives(look_up(instance, path), told_apart) if other is not None]


@or_else(None)
def with_functions_of(earlier: Any, later: Any) -> Any:
    """The later of two values that are made alike, with the functions and static parts of the earlier in the place of equal ones.

    What a part of an example makes anew, as a function in its constructor, tells of the class of that part. None where the two differ
    in more than numbers, nothing is made anew, or both would hold one container.
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
    """Whether one function was made twice."""
    return old is not new and callable(old) and not is_array(old) and reads_the_same(old, new)


def reads_the_same(value: Any, other: Any) -> bool:
    """Whether two values are equal, or differ by where they lie in memory alone."""
    return bool(value == other) or _ADDRESS.sub("", str(value)) == _ADDRESS.sub("", str(other))
