"""Numbers: equality up to rounding, slopes by small steps, overflow on the way."""

import contextlib
import importlib
from collections.abc import Callable, Generator, Mapping, Sequence
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ..inspect.arrays import is_array, is_floating, is_inexact, on_device, raw, same_bits, widened
from ..inspect.trees import named_leaves, structure
from ..report import ADVICE, ANY_ERROR, FAULT, Fault, check
from ..trace.dependencies import STOP, is_straight_through
from ..trace.jaxprs import equations
from ..trace.programs import compiled
from .example_values import weights

# By how many times eps two programs for the same function may differ, where it is not 64.
# jax's own tests give a TPU, whose exp and tanh are less exact, 1e-3 in float32.
ROUNDINGS = {"tpu": 8192}
HALF_ROUNDINGS = 8  # the same in 16 bits, of which so many times are half a number

Tolerance = float | Mapping[str, float] | None
"""Allowed relative difference of two computations: for all dtypes, by dtype, or the default (None)."""
UNSETTLED: Tolerance = MappingProxyType({})
"""Marks that a suite declares no tolerance, so that `settle` finds it when a law first calls."""
_DECLARED: ContextVar[Tolerance] = ContextVar("declared", default=None)
"""Tolerance of the suite whose law is running."""


@contextlib.contextmanager
def tolerating(declared: Tolerance) -> Generator[None]:
    """Let comparisons allow the tolerance that a suite declares."""
    token = _DECLARED.set(declared)
    try:
        yield
    finally:
        _DECLARED.reset(token)


def settle(find: Callable[[], Tolerance]) -> None:
    """Find the tolerance of the running law, once, if its suite declares none."""
    if _DECLARED.get() is UNSETTLED:
        _DECLARED.set(None)  # until it is found, which may compare as well
        _DECLARED.set(find())


def declared_tolerance(dtype: Any, declared: Tolerance) -> float | None:
    """Return the tolerance declared for a dtype, or for the parts of a complex dtype, or None."""
    if not isinstance(declared, Mapping):
        return declared
    names = str(dtype), str(jnp.finfo(dtype).dtype)
    return next((declared[name] for name in names if name in declared), None)


def tolerance_of(dtype: Any, declared: Tolerance = None) -> float:
    """Return the relative tolerance for a dtype: declared, or a multiple of its eps."""
    result = declared_tolerance(dtype, _DECLARED.get() if declared is None else declared)
    if result is not None:
        return result
    info = jnp.finfo(dtype)
    usual = ROUNDINGS.get(jax.default_backend(), 64)
    return (HALF_ROUNDINGS if info.bits <= 16 else usual) * float(info.eps)


def close(left: Any, right: Any, slack: float = 1.0) -> bool:
    """Whether two trees have equal structure and dtypes, and values equal up to rounding."""
    leaves = zip(jax.tree.leaves(left), jax.tree.leaves(right))
    return structure(left) == structure(right) and all(close_leaf(*pair, slack) for pair in leaves)


def close_leaf(left: Any, right: Any, slack: float) -> bool:
    if not is_inexact(left) or not is_inexact(right):
        return same_bits(as_wide_as_jax(left), as_wide_as_jax(right))
    dtype = dtype_in_jax(left)
    if dtype != dtype_in_jax(right) or left.shape != right.shape:
        return False
    array, other = widened(left), widened(right)
    steps = ROUNDINGS.get(jax.default_backend(), 64)
    allowed = declared_tolerance(dtype, _DECLARED.get()) or 0.0
    rounding = max(steps * slack * float(jnp.finfo(dtype).eps), allowed)
    biggest = float(np.abs(array[np.isfinite(array)]).max(initial=1.0))
    return np.allclose(array, other, rounding, rounding * biggest, equal_nan=True)


def dtype_in_jax(array: Any) -> Any:
    """Return the dtype that an array has in jax. A call outside jit may return a NumPy array of 64 bits."""
    is_numpy = isinstance(array, np.ndarray | np.generic)
    return jax.dtypes.canonicalize_dtype(array.dtype) if is_numpy else array.dtype


def as_wide_as_jax(value: Any) -> Any:
    """Convert a NumPy array of integers to the width that jax would give it."""
    is_integer = isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "iu"
    return value.astype(dtype_in_jax(value)) if is_integer else value


def farthest(left: Any, right: Any) -> float:
    """Return the largest difference of two results, relative to the largest value of an array or to 1."""
    leaves = [(leaf, other) for leaf, other in zip(*map(jax.tree.leaves, (left, right))) if is_inexact(leaf)]
    pairs = [[np.asarray(leaf, np.complex128) for leaf in pair] for pair in leaves]
    ratios = [np.abs(a - b).max(initial=0.0) / np.abs(b).max(initial=1.0) for a, b in pairs]
    return float(max(ratios, default=0.0))


def check_close(where: str, message: str, got: Any, wanted: Any, hint: str = "", slack: float = 1.0) -> None:
    """Check that two results are close. Texts of them are made only on failure, since that takes long."""
    __tracebackhide__ = True
    if not close(got, wanted, slack):
        first, second, place = first_difference(got, wanted, slack)
        raise Fault(where, message.format(first, second) + place, hint)


def hint_of_order(instance: Any) -> str:
    """Return a hint if a class holds a dict in unsorted order, which jax changes, else an empty string."""
    leaves = jax.tree.leaves(instance, is_leaf=_is_unsorted)
    return ORDER if any(map(_is_unsorted, leaves)) else ""


def _is_unsorted(node: Any) -> bool:
    return type(node) is dict and [*node] != sorted(node)


ORDER = "a loop over a dict: jax sorts its keys, in `jax.jit` and wherever it takes a tree apart; loop over `sorted(...)`, or a tuple of names"


def first_difference(got: Any, wanted: Any, slack: float) -> tuple[str, str, str]:
    """Return texts of the first leaves in which two results differ, and the place of these leaves.

    If the structures differ, the texts are of the whole results.
    """
    leaves = named_leaves(got)
    if structure(got) != structure(wanted) or not leaves:
        return f"{got!s:.{_LONGEST}}", f"{wanted!s:.{_LONGEST}}", ""
    pairs = zip(leaves, jax.tree.leaves(wanted), strict=True)
    apart = ((n, a, b) for (n, a), b in pairs if not close_leaf(a, b, slack))
    name, leaf, other = next(apart)
    place = f", at `{name}` of the result" if len(leaves) > 1 else ""
    first, second = kind_of(leaf), kind_of(other)
    if first == second:
        first, second = f"{leaf!s:.{_LONGEST}}", f"{other!s:.{_LONGEST}}"
        if is_array(leaf) and leaf.size > _MOST_SHOWN and not jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
            array, another = np.asarray(leaf), np.asarray(other)
            at = _furthest(array, another)
            first, second = str(array[at]), str(another[at])
            place = f"{place or ', in the result'}, at {[*map(int, at)]} of {[*leaf.shape]}"
    return first, second, place


_MOST_SHOWN = 16
"""Number of elements up to which a message shows a whole array.

For a larger array, it shows the element that differs most.
"""
_LONGEST = 300
"""Number of characters of a value that a message shows."""


def _furthest(array: np.ndarray, other: np.ndarray) -> tuple[Any, ...]:
    kind = np.complex128 if np.iscomplexobj(array) else np.float64
    array, other = array.astype(kind), other.astype(kind)
    same = (array == other) | (np.isnan(array) & np.isnan(other))
    with np.errstate(invalid="ignore"):
        apart = np.where(same, 0, np.nan_to_num(np.abs(array - other), nan=np.inf, posinf=np.inf))
    return np.unravel_index(np.argmax(apart), apart.shape)


def kind_of(value: Any) -> str:
    """Describe an array by dtype, shape and whether it is NumPy's, and any other value by its class."""
    if not is_array(value):
        return type(value).__name__
    suffix = "" if isinstance(value, jax.Array) else " of NumPy"
    return f"{value.dtype}{list(value.shape)}{suffix}"


LARGE = "`exp` of what may be large: `jax.nn.softmax`, `jnp.logaddexp`, or take the largest off first; `skips` says where they cannot come"
ROUNDED = "an overflow on the way, or a root or a logarithm of what rounding makes negative: `jnp.maximum`; `skips` says where they cannot come"
"""Hint for NaN in results without an infinity."""


def check_overflow(
    message: str, outputs: Sequence[Any], run: Callable[[Any], Sequence[Any]], arrays: Sequence[Any]
) -> None:
    """Check that non-finite outputs are not finite in 64 bits either, or too large for their dtype."""
    if all(np.isfinite(np.asarray(v)).all() for v in outputs if is_inexact(v)):
        return
    try:
        with in_64_bits(), jax.numpy_dtype_promotion("standard"):
            exact = [np.asarray(v) for v in compiled(run)(list(map(in_float64, arrays)))]
    except ANY_ERROR:
        return  # the class fixes a dtype
    for i, (narrow, wide) in enumerate(zip(outputs, exact)):
        if is_inexact(narrow):
            fits = np.abs(wide) < float(jnp.finfo(narrow.dtype).max)
            wrong = fits & ~np.isfinite(np.asarray(narrow))
            both = f"{message} it is {narrow}, in 64 bits {wide}"
            check(not wrong.any(), f"output {i}", both, LARGE if np.isinf(narrow).any() else ROUNDED)


def in_64_bits() -> Any:
    """Return a context in which jax allows 64 bits."""
    if hasattr(jax, "enable_x64"):
        return jax.enable_x64(True)
    # Before jax 0.8 it is there alone, and type checkers with a newer one do not know it.
    experimental: Any = importlib.import_module("jax.experimental")
    return experimental.enable_x64()


def in_float64(leaf: Any) -> Any:
    """Convert a floating array to float64, if jax allows 64 bits."""
    return jnp.asarray(raw(leaf), jnp.float64) if is_floating(leaf) else leaf


STEP = 0.01  # a longer one takes a curve for a kink, and finds nothing


KINK = 0.05  # by which share two steps, or a step and a slope, differ on a smooth way


def rounding_of(sizes: Mapping[str, Any]) -> float:
    """Return the rounding error in float32 of gradients with these sizes."""
    biggest = max((float(np.max(size, initial=0.0)) for size in sizes.values()), default=0.0)
    return 64 * float(np.finfo(np.float32).eps) * biggest


CARRY_HINT = "stop_gradient on the carry: nothing is learnt through time"


def check_grads(
    where: str,
    move: Callable[[Any], Any],
    leaf: Any,
    hint: str = CARRY_HINT,
    *,
    partly: bool = False,
    severity: str = FAULT,
) -> None:
    """Check that gradients agree with small steps wherever these show a slope.

    With `partly`, a gradient other than zero is enough.
    """
    points = [on_device(raw(leaf) + step, leaf.dtype) for step in (-STEP, 0, STEP)]
    along, grads = zip(*values_and_slopes(move, points))
    for *values, grad in zip(*along, grads[1]):
        if is_floating(grad) and grad.dtype.itemsize > 2 and is_smooth(*values):
            first, _, last = (np.asarray(value, np.float64) for value in values)
            slope = (last - first) / (2 * STEP)
            message = f"small steps show the slope {slope}, its gradient is {grad}"
            off = np.abs(slope - np.asarray(grad, np.float64))
            near = off.max() < KINK * np.abs(slope).max()
            check(bool(near) or (partly and bool(np.any(grad))), where, message, hint, severity=severity)


def values_and_slopes(move: Callable[[Any], Any], points: Sequence[Any]) -> list[tuple[list[Any], list[Any]]]:
    """Return values of a function at some points, and slopes along a direction of ones.

    For a function with only a reverse rule, such as a `custom_vjp`, these are the floating outputs alone.
    """

    def forward(value: Any) -> tuple[Any, Any]:
        results = jax.jvp(move, (value,), (jnp.ones_like(value),))
        return jax.tree.leaves(results[0]), jax.tree.leaves(results[1])

    def floats(value: Any) -> list[Any]:
        return [y for y in jax.tree.leaves(move(value)) if is_floating(y)]

    def backward(value: Any) -> tuple[Any, Any]:
        axes = tuple(range(-jnp.ndim(value), 0))
        return floats(value), [jnp.sum(slope, axes) for slope in jax.jacrev(floats)(value)]

    try:
        return [*map(compiled(forward), points)]
    except TypeError as error:
        if "custom_vjp" not in str(error):
            raise
    return [*map(compiled(backward), points)]


def check_flow(where: str, run: Callable[[list[Any]], Any], values: Sequence[Any], hint: str) -> None:
    """Check gradients of several arrays at once, each element along its own direction."""
    ways = [weights(5 + i, leaf.shape) for i, leaf in enumerate(values)]

    def move(size: Any) -> list[Any]:
        moved = [v + (size * w).astype(v.dtype) for v, w in zip(values, ways)]
        return [y for y in jax.tree.leaves(run(moved)) if is_floating(y)]

    jaxpr = jax.make_jaxpr(run)(list(values)).jaxpr
    # Who writes `stop_gradient` may mean it, as of running statistics; without it no gradient is cut off on purpose.
    severity = ADVICE if any(each.primitive.name == STOP for each in equations(jaxpr)) else FAULT
    # A straight-through estimator has another gradient on purpose.
    partly = is_straight_through(jaxpr)
    check_grads(where, move, on_device(0, np.float32), hint, partly=partly, severity=severity)


def check_rule(name: str, loss: Callable[..., Any], values: dict[int, Any]) -> None:
    """Check that slopes by a custom rule agree with small steps wherever these show a slope."""
    start, grads = loss(values)
    middle = float(start)
    for i, leaf in values.items():
        along = np.asarray(weights(5, leaf.shape), leaf.dtype)
        steps = [np.asarray(leaf) + step * along for step in (-STEP, STEP)]
        first, last = (float(loss({**values, i: on_device(v, leaf.dtype)})[0]) for v in steps)
        if leaf.dtype.itemsize > 2 and is_smooth(first, middle, last):
            slope = (last - first) / (2 * STEP)
            grad = float(np.sum(np.asarray(grads[i]) * along))
            message = f"small steps show the slope {slope:.4g}, its own rule gives {grad:.4g}"
            hint = (
                "the derivative of another function in `defvjp` or `defjvp`; `skips` says where "
                "it is meant, as in a straight-through estimator"
            )
            check(abs(slope - grad) < KINK * abs(slope), name, message, hint)


def is_smooth(*values: Any) -> bool:
    """Whether a value moves, and as far on one side as on the other."""
    before, middle, after = (np.asarray(value, np.float64) for value in values)
    first, two = middle - before, after - middle
    size = float(np.abs(first).max(initial=0.0))
    moves = size > 1e-4 * (1 + float(np.abs(middle).max(initial=0.0)))
    return moves and float(np.abs(first - two).max(initial=0.0)) < KINK * size
