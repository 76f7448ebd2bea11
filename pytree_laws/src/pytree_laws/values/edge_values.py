"""Numbers that random examples lack: whole numbers with ties, large numbers, numbers near zero."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ..inspect.arrays import is_array, is_inexact, is_key, on_device, widened
from ..inspect.trees import replace_leaves, structure
from ..report import or_else

LARGE = 100.0
LARGE_NUMBERS = " with large numbers"
Pair = tuple[Any, Any]
"""An instance or its arrays, and arguments."""


def whole(pair: Pair) -> Pair:
    """Replace floats by whole numbers from -2 to 3, and a positive array by the numbers 1 and 2.

    Scalars are 1 or 2 in turn, as bounds of a range. Integer scalars, and integer arrays of zeros, become 1.
    """
    return _with(pair, _whole, jnp.number)


def large(pair: Pair, factor: float = LARGE) -> Pair:
    """Multiply the inexact arguments by a factor, and leave the instance alone."""
    instance, arguments = pair
    return instance, _with(arguments, lambda value, _: value * factor, jnp.inexact)


def below_zero(pair: Pair) -> Pair:
    """Set every other integer of the arguments to -1, which often stands for a missing value."""
    instance, arguments = pair

    def lowered(value: np.ndarray, _: int) -> np.ndarray:
        return np.where(np.arange(value.size).reshape(value.shape) % 2 == 0, -1, value)

    return instance, _with(arguments, lowered, jnp.signedinteger)


def redrawn(pair: Pair, seed: int) -> Pair:
    """Permute the inexact arguments, and multiply each element by a factor from 0 to 2."""
    instance, arguments = pair

    def mixed(value: np.ndarray, place: int) -> np.ndarray:
        generator = np.random.default_rng((seed, place))
        order, factors = generator.permutation(value.size), generator.uniform(0, 2, value.shape)
        return value.ravel()[order].reshape(value.shape) * factors

    return instance, _with(arguments, mixed, jnp.inexact)


def equalized(arguments: Any) -> Any:
    """Set inexact arguments of equal shape and dtype to the first of them.

    For example, a kernel adds noise where two points are equal.
    """
    first: dict[Any, Any] = {}
    leaves = jax.tree.leaves(arguments)
    floats = {i: (v.shape, v.dtype) for i, v in enumerate(leaves) if is_inexact(v)}
    return replace_leaves(arguments, {i: first.setdefault(form, leaves[i]) for i, form in floats.items()})


def rounded(tree: Any, pattern: int, by: int = 1) -> Any:
    """Move each number by `by` steps of its last digit, up or down as `pattern` draws.

    A common direction would cancel in a quotient.
    """

    def moved(value: np.ndarray, place: int) -> np.ndarray:
        bits = np.random.default_rng((pattern, place)).choice((-by, by), value.shape)
        return widened(value) * (1 + float(jnp.finfo(value.dtype).eps) * bits)

    return _with(tree, moved, jnp.inexact)


OTHERS: Mapping[str, Callable[[Pair], Pair]] = {
    " with whole numbers": whole,
    LARGE_NUMBERS: large,
    " with integers below 0": below_zero,
}
"""Ways to change an example, by suffix of the names of recorded results."""
FAR: Mapping[str, Callable[[Pair], Pair]] = {
    LARGE_NUMBERS: large,
    f"{LARGE_NUMBERS} of the other sign": lambda pair: large(pair, -LARGE),
}
"""Ways to change an example of another configuration. A one-sided bound needs both signs."""


def _with(tree: Any, change: Callable[[np.ndarray, int], np.ndarray], kind: Any) -> Any:
    leaves = jax.tree.leaves(tree)
    places = [i for i, v in enumerate(leaves) if is_array(v) and not is_key(v)]
    places = [i for i in places if jnp.issubdtype(leaves[i].dtype, kind)]
    new = {i: change(np.asarray(leaves[i]), i) for i in places}
    return replace_leaves(tree, {i: on_device(v, leaves[i].dtype) for i, v in new.items()})


def changed_pairs(pairs: Sequence[Pair]) -> Iterator[tuple[str, list[Pair]]]:
    """Yield the name and the changed pairs of each way in `OTHERS` that changes a leaf."""
    for where, change in OTHERS.items():
        changed = [change(pair) for pair in pairs]
        if any(a is not b for pair in zip(pairs, changed) for a, b in zip(*map(jax.tree.leaves, pair))):
            yield where, changed


def _whole(value: np.ndarray, seed: int) -> np.ndarray:
    if not is_inexact(value):  # an index into two or more, or counts of which none was raised
        return value if value.shape and value.any() else np.ones_like(value)
    if not value.shape:
        return np.asarray(1 + seed % 2)
    is_positive = not np.iscomplexobj(value) and bool((value > 0).all())
    some = np.array((2, 1) if is_positive else (2, 1, -1, -2, 3))
    order = np.random.default_rng(seed).permutation(value.size)
    return some[order % some.size].reshape(value.shape)


def is_finite(value: Any) -> bool:
    """Whether no element is infinite or NaN, which would concern the example more than the class."""
    return not is_inexact(value) or bool(np.isfinite(np.asarray(value)).all())


def has_nan(value: Any) -> bool:
    """Whether an inexact array contains NaN."""
    return is_inexact(value) and bool(np.isnan(np.asarray(value)).any())


def with_integers_of(arguments: Any, example: Any) -> Any:
    """Return the arguments with the integers of an example, if its structure is the same."""
    if structure(arguments) != structure(example):
        return arguments

    def choose(leaf: Any, other: Any) -> Any:
        return other if is_array(leaf) and jnp.issubdtype(leaf.dtype, jnp.integer) else leaf

    return jax.tree.map(choose, arguments, example)


NEAR, NEARER = 1e-2, 1e-3  # float32 still tells the sum of their squares from zero
BOUNDED = 2.0
"""Growth that a value may show at a tenth of the distance from zero. A pole grows by a factor of 10."""

SWING = 0.5
"""Share of its size, at ten times the distance, by which a value near zero may move.

A root moves by a sixth.
"""

ValuesAt = Callable[[float], Sequence[Any]]
"""Function from a number to the arrays computed from arguments filled with it."""


def is_finite_around_zero(values_at: ValuesAt) -> bool:
    """Whether a function is finite near zero on both sides."""
    return all(math.isfinite(size) for side in _sizes_near_zero(values_at) for size in side)


def has_an_edge_at_zero(values_at: ValuesAt) -> bool:
    """Whether a function has no two-sided limit at zero, judged by values near it.

    It is finite on one side alone (a root), grows (a quotient), or swings (the sine of a quotient).
    """
    sides = [side for side in _sizes_near_zero(values_at) if all(map(math.isfinite, side))]
    is_edge = len(sides) == 1 or any(nearer > BOUNDED * near for near, nearer in sides)
    return is_edge or any(_swings(values_at, sign) for sign in (1, -1))


@or_else(False)  # the function refuses such numbers
def _swings(values_at: ValuesAt, sign: int) -> bool:
    """Whether values close to zero still move by much of their size."""
    size, rows = (
        _largest(values_at, sign * NEAR),
        [_inexact(values_at(sign * NEARER / k)) for k in (1, 2, 3, 4)],
    )
    spread = float(np.max(np.ptp(np.abs(rows) if np.iscomplexobj(rows) else rows, axis=0), initial=0.0))
    return math.isfinite(size) and spread > SWING * size


def _inexact(values: Sequence[Any]) -> np.ndarray:
    return np.concatenate([np.ravel(array) for array in values if is_inexact(array)])


def _sizes_near_zero(values_at: ValuesAt) -> list[tuple[float, float]]:
    """Return for each side of zero the largest magnitude near it and nearer."""
    return [(_largest(values_at, sign * NEAR), _largest(values_at, sign * NEARER)) for sign in (1, -1)]


@or_else(math.nan)
def _largest(values_at: ValuesAt, number: float) -> float:
    """Return the largest magnitude in the values, or NaN if a value is NaN or the function raises."""
    values = [np.asarray(array) for array in values_at(number) if is_inexact(array)]
    sizes = [np.max(np.abs(value), initial=0.0) for value in values]
    return float(np.max(sizes)) if sizes else math.nan
