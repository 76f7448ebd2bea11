"""Comparison as an author writes it: up to rounding, eager or jitted, with a list of differences."""

import contextlib
import inspect
import re
from collections.abc import Generator, Iterator, Mapping
from contextvars import ContextVar
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from ..inspect.arrays import is_array, is_inexact, is_key, same_bits, widened
from ..inspect.trees import attributes, named_leaves, nodes, parts_of_aux, structure, unset_fields
from ..report import ADVICE, COST, FAULT, Fault, check, check_each
from .closeness import Tolerance, tolerance_of

_ADDRESS = re.compile(" at 0x[0-9a-f]+")
_DIFFERENCES: ContextVar[list[str] | None] = ContextVar("differences", default=None)


@contextlib.contextmanager
def recording_differences() -> Generator[list[str]]:
    """Collect the differences that comparisons find, in the yielded list."""
    differences = list[str]()
    token = _DIFFERENCES.set(differences)
    try:
        yield differences
    finally:
        _DIFFERENCES.reset(token)


def compare(left: Any, right: Any, tolerance: Tolerance = None) -> Any:
    """Compare two trees in structure, shapes, dtypes and numbers. The bool is traced inside `jax.jit`.

    A Python number matches any dtype. The tolerance of a dtype is relative to the largest number of an array,
    or to 1.
    """
    if structure(left) != structure(right):
        return _different(f"{left!r:.200} and {right!r:.200} differ in structure")
    pairs = zip(jax.tree.leaves(left), jax.tree.leaves(right))
    verdicts = [_compare(leaf, other, tolerance) for leaf, other in pairs]
    if any(isinstance(verdict, Tracer) for verdict in verdicts):
        return jnp.all(jnp.stack([jnp.asarray(verdict) for verdict in verdicts]))
    return all(verdicts)


def check_compared(
    where: str, message: str, got: Any, wanted: Any, tolerance: Tolerance = None, hint: str = ""
) -> None:
    """Check that `compare` holds, with its differences in the message."""
    with recording_differences() as differences:
        same = compare(got, wanted, tolerance)
    check(same, where, "; ".join([message, *dict.fromkeys(differences)]), hint)


def check_same_bits(left: Mapping[str, Any], right: Mapping[str, Any], message: str, hint: str = "") -> None:
    """Check that two mappings have the same paths, and values of equal bits."""
    message = f"{message}: {{!r:.200}} and {{!r:.200}}"
    for name in {**left, **right}:
        array, other = left.get(name), right.get(name)
        is_there = array is not None and other is not None
        same = is_there and is_array(array) == is_array(other) and same_bits(array, other)
        check(same, name, message.format(array, other), hint)


def check_same_tree(instance: Any, copied: Any, operation: str, hint: str = "") -> None:
    """Check that treedefs are equal, and leaves equal in type and bits."""
    check_same_structure(instance, copied, operation)

    def check_leaf(name: str, leaf: Any, other: Any) -> None:
        if type(leaf) is not type(other) or not same_bits(leaf, other):
            severity = severity_of_change(leaf, other)
            raise Fault(name, f"{operation} made {_other_than(leaf, other)}", hint, severity=severity)

    pairs = zip(named_leaves(instance), jax.tree.leaves(copied))
    check_each(check_leaf, ((name, leaf, other) for (name, leaf), other in pairs))


def severity_of_change(leaf: Any, other: Any) -> str:
    """Return the severity of a leaf that came back changed.

    An equal copy only costs time. A leaf that is not an array, such as a function, is in no file. A class
    with scaled leaves rounds on purpose.
    """
    if not is_array(leaf):
        return ADVICE
    if type(leaf) is type(other) and same_bits(leaf, other):
        return COST
    return ADVICE if differ_by_rounding(leaf, other) else FAULT


STEPS = 8  # of the last digit, by which what is scaled there and back may differ


def differ_by_rounding(value: Any, other: Any) -> bool:
    """Whether two inexact arrays of one dtype and shape differ by at most a few steps of the last digit."""
    if not (is_inexact(value) and is_inexact(other)) or _form(value) != _form(other):
        return False
    dtype = jnp.finfo(value.dtype)
    relative, absolute = STEPS * float(dtype.eps), float(dtype.tiny)
    return np.allclose(widened(other), widened(value), relative, absolute, equal_nan=True)


def check_same_structure(instance: Any, copied: Any, operation: str) -> None:
    """Check that treedefs are equal, and otherwise name the static value that differs."""
    before, after = structure(instance), structure(copied)
    if before == after:
        return
    for place, was, now in _changed_statics(instance, copied):
        # Of functions, as an optimiser is made of, another instance may well hold others: who builds both gives them.
        are_functions = all(map(inspect.isroutine, jax.tree.leaves(was) or [was]))
        severity, hint = (ADVICE, MADE_ANEW) if are_functions else (FAULT, EQUAL_BY_VALUE)
        raise Fault(place, f"{operation} made {_other_than(was, now)}", hint, severity=severity)
    name, hint = type(instance).__name__, hint_of_marks(before)
    if str(before) == str(after) and hint:
        unset = [f"`{place}.{field}`" for place, node, _ in nodes(instance) for field in unset_fields(node)]
        reason = (
            f"the constructor has not stored {', '.join(unset)}" if unset else "it holds more than its fields"
        )
        # Beside the fields marks come of a round trip, as P3 says, and cost a compilation.
        where, hint, severity = (unset[0].strip("`"), NEVER_SET, FAULT) if unset else (name, hint, ADVICE)
        # An instance holds a mark, of which a copy is made, once jax has unflattened it.
        message = f"{operation} after `jax.tree.map` made another treedef, since {reason}"
        raise Fault(where, message, hint, severity=severity)
    if str(before) == str(after):
        message = f"{operation} changed the treedef {before}: a static value in it equals itself alone"
        raise Fault(name, message)
    check_treedef(before, after, name, f"{operation} changed the treedef: it is", hint)


_BEFORE_CHANGE = 60  # characters that lead to the first difference
_SHOWN = 240


def check_treedef(before: Any, after: Any, where: str, message: str, hint: str = "") -> None:
    """Check that treedefs are equal. The message shows both from shortly before their first difference."""
    if before == after:
        return
    texts = str(before), str(after)
    equal = next((i for i, (left, right) in enumerate(zip(*texts)) if left != right), 0)
    start = max(0, equal - _BEFORE_CHANGE)
    was, now = (
        f"{'…' * (start > 0)}{text[start:][:_SHOWN]}{'…' * (len(text) > start + _SHOWN)}" for text in texts
    )
    raise Fault(where, f"{message} `{now}`, it was `{was}`", hint)


def hint_of_marks(*treedefs: Any) -> str:
    """Return a hint if Equinox's marks are in a treedef, else an empty string."""
    return MARKS if any(_MARK in str(treedef) for treedef in treedefs) else ""


_MARK = "(Missing, Missing, "
MARKS = (
    "an attribute beside the fields, as a `cached_property` stores one, or a field that is never set: in a round trip Equinox "
    "leaves marks on the instance then, and the copy of a mark is another one; `eqx.field()` for each attribute, a value for each "
    "field, and `property` for what is computed"
)


NEVER_SET = (
    "each field stored in the constructor, also where it has a default: in a round trip Equinox leaves marks on an instance that "
    "lacks one, and the copy of a mark is another one, so that `jax.tree.map` refuses both and jit traces anew"
)
EQUAL_BY_VALUE = "a class without `__eq__`, whose instances equal themselves alone: what is compiled for one is compiled anew for another"

MADE_ANEW = "a function that each constructor makes anew, as a `lambda` or a `def` in it: one of the module is the same in all"


def _changed_statics(instance: Any, other: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield the place and both values of each static attribute that differs."""
    for (place, node, aux), (_, twin, _) in zip(nodes(instance), nodes(other)):
        before, now = attributes(node), attributes(twin)
        for name, value in before.items():
            is_static = any(value is part for part in parts_of_aux(aux)) and not name.startswith("__")
            if is_static and name in now and not bool(value == now[name]):
                yield f"{place}.{name}", value, now[name]


def _other_than(leaf: Any, other: Any) -> str:
    """Describe a changed leaf. If both texts agree, say that the value equals itself alone."""
    first, second = (_ADDRESS.sub("", f"{part!r:.200}") for part in (leaf, other))
    if first != second:
        return f"{second} of {first}"
    return f"another {type(leaf).__name__} of {first}, which equals itself alone"


def _different(difference: str) -> bool:
    differences = _DIFFERENCES.get()
    if differences is not None:
        differences.append(difference)
    return False


def _compare(left: Any, right: Any, tolerance: Tolerance) -> Any:
    if is_array(left) and is_array(right) and _form(left) != _form(right):
        return _different(f"{_form(left)} and {_form(right)} are not of one dtype and shape")
    if is_key(left) and is_key(right):
        left, right = jax.random.key_data(left), jax.random.key_data(right)
    elif not (_is_number(left) and _is_number(right)):
        return bool(left == right) or _different(f"{left!r:.200} is not {right!r:.200}")
    dtype = jnp.result_type(left, right)
    exact = not jnp.issubdtype(dtype, jnp.inexact)
    allowed = 0.0 if exact else tolerance_of(dtype, tolerance)
    if isinstance(left, Tracer) or isinstance(right, Tracer):
        return jnp.all(_near(jnp, jnp.asarray(left), jnp.asarray(right), allowed))
    # In NumPy, where nothing is compiled, and where 16 bits are not all that there is.
    kind = np.complex128 if jnp.issubdtype(dtype, jnp.complexfloating) else np.float64
    array, other = (np.asarray(v) if exact else np.asarray(v).astype(kind) for v in (left, right))
    array, other = np.broadcast_arrays(array, other)
    return _noted(array, other, allowed)


def shown(value: Any) -> str:
    """Describe an array by dtype and shape, and any other value by its repr."""
    return _form(value) if is_array(value) else f"{value!r:.200}"


def _form(array: Any) -> str:
    return f"{array.dtype}{list(array.shape)}"


def _is_number(value: Any) -> bool:
    return isinstance(value, jax.Array | np.ndarray | np.generic | int | float | complex)


def _near(xp: Any, array: Any, other: Any, allowed: float) -> Any:
    """Return a mask of elements that are equal, close or both NaN."""
    if not allowed:
        return array == other
    sizes = (xp.where(xp.isfinite(value), xp.abs(value), 0) for value in (array, other))
    largest = xp.maximum(*(xp.max(size, initial=1) for size in sizes))
    both = xp.isnan(array) & xp.isnan(other)
    with np.errstate(invalid="ignore"):  # infinities of one sign
        return (array == other) | both | (xp.abs(array - other) <= allowed * largest)


def _noted(array: np.ndarray, other: np.ndarray, allowed: float) -> bool:
    wrong = np.argwhere(~_near(np, array, other, allowed))
    if not len(wrong):
        return True
    first = tuple(map(int, wrong[0]))
    at = f" at {first}" if first else ""
    allows = f", and {allowed:.2g} is allowed" if allowed else ""
    return _different(f"{array[first]:.6g} is not {other[first]:.6g}{at}{allows}")
