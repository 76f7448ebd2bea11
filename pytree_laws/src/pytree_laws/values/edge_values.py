"""Numbers that examples of random ones do not have: whole ones, which meet in a tie, large ones, and those near zero."""

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
"""An instance, or its arrays, and what it is given."""


def whole(pair: Pair) -> Pair:
    """With floats from -2 to 3 without a part behind the point: above 0 where all of an array are.

    Those that stand alone are 1 and 2 in turn, as the bounds of a range are, and integers 1.
    """
    return _with(pair, _whole, jnp.number)


def large(pair: Pair, factor: float = LARGE) -> Pair:
    """With large floats in what is given, and the instance as it is."""
    instance, arguments = pair
    return instance, _with(arguments, lambda value, _: value * factor, jnp.inexact)


def below_zero(pair: Pair) -> Pair:
    """With every other integer of what is given below 0, which often stands for what is missing."""
    instance, arguments = pair

    def lowered(value: np.ndarray, _: int) -> np.ndarray:
        return np.where(np.arange(value.size).reshape(value.shape) % 2 == 0, -1, value)

    return instance, _with(arguments, lowered, jnp.signedinteger)


def redrawn(pair: Pair, seed: int) -> Pair:
    """With the floats that are given in another order, each up to twice as large, or near zero."""
    instance, arguments = pair

    def mixed(value: np.ndarray, place: int) -> np.ndarray:
        generator = np.random.default_rng((seed, place))
        order, factors = generator.permutation(value.size), generator.uniform(0, 2, value.shape)
        return value.ravel()[order].reshape(value.shape) * factors

    return instance, _with(arguments, mixed, jnp.inexact)


def equalized(arguments: Any) -> Any:
    """With floats of one shape and dtype that are all as the first of them: a kernel has noise where two points are the same."""
    first: dict[Any, Any] = {}
    leaves = jax.tree.leaves(arguments)
    floats = {i: (v.shape, v.dtype) for i, v in enumerate(leaves) if is_inexact(v)}
    return replace_leaves(arguments, {i: first.setdefault(form, leaves[i]) for i, form in floats.items()})


def rounded(tree: Any, pattern: int, by: int = 1) -> Any:
    """A tree with each number moved by so many of the last bits of its dtype, up or down as a pattern has it.

    What is moved as far as what it is divided by moves nothing.
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
"""Ways to change what goes into a program, by how a record names what comes out of it."""
FAR: Mapping[str, Callable[[Pair], Pair]] = {
    LARGE_NUMBERS: large,
    f"{LARGE_NUMBERS} of the other sign": lambda pair: large(pair, -LARGE),
}
"""Those by which other configurations are recorded, too: a bound on one side alone shows on that side."""


def _with(tree: Any, change: Callable[[np.ndarray, int], np.ndarray], kind: Any) -> Any:
    leaves = jax.tree.leaves(tree)
    places = [i for i, v in enumerate(leaves) if is_array(v) and not is_key(v)]
    places = [i for i in places if jnp.issubdtype(leaves[i].dtype, kind)]
    new = {i: change(np.asarray(leaves[i]), i) for i in places}
    return replace_leaves(tree, {i: on_device(v, leaves[i].dtype) for i, v in new.items()})


def changed_pairs(pairs: Sequence[Pair]) -> Iterator[tuple[str, list[Pair]]]:
    """By name what each way makes of them, where it changes one of them."""
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
    """Whether no element is infinite or NaN: what is, says more of the example than of the class."""
    return not is_inexact(value) or bool(np.isfinite(np.asarray(value)).all())


def has_nan(value: Any) -> bool:
    """Whether a number in an array of inexact ones is NaN."""
    return is_inexact(value) and bool(np.isnan(np.asarray(value)).any())


def with_integers_of(arguments: Any, example: Any) -> Any:
    """The arguments with the integers of an example, where that has the same structure."""
    if structure(arguments) != structure(example):
        return arguments

    def choose(leaf: Any, other: Any) -> Any:
        return other if is_array(leaf) and jnp.issubdtype(leaf.dtype, jnp.integer) else leaf

    return jax.tree.map(choose, arguments, example)


NEAR, NEARER = 1e-2, 1e-3  # float32 still tells the sum of their squares from zero
BOUNDED = 2.0
"""How much larger a value may be at a tenth of the distance from zero; that of a pole is ten times as large."""

SWING = 0.5
"""What a value near zero may move by, of its size at ten times the distance; a root moves by a sixth of that."""

ValuesAt = Callable[[float], Sequence[Any]]
"""The arrays that come of arguments which are all one number."""


def is_finite_around_zero(values_at: ValuesAt) -> bool:
    """Whether a function is finite near zero on both sides."""
    return all(math.isfinite(size) for side in _sizes_near_zero(values_at) for size in side)


def has_an_edge_at_zero(values_at: ValuesAt) -> bool:
    """Whether a function is finite on one side of zero alone, as a root is, grows towards it, as a quotient does, or swings, as the sine of one."""
    sides = [side for side in _sizes_near_zero(values_at) if all(map(math.isfinite, side))]
    is_edge = len(sides) == 1 or any(nearer > BOUNDED * near for near, nearer in sides)
    return is_edge or any(_swings(values_at, sign) for sign in (1, -1))


@or_else(False)  # the function refuses such numbers
def _swings(values_at: ValuesAt, sign: int) -> bool:
    """Whether what a function gives still moves close to zero by as much as it is: it has no limit there."""
    size, rows = (
        _largest(values_at, sign * NEAR),
        [_inexact(values_at(sign * NEARER / k)) for k in (1, 2, 3, 4)],
    )
    spread = float(np.max(np.ptp(np.abs(rows) if np.iscomplexobj(rows) else rows, axis=0), initial=0.0))
    return math.isfinite(size) and spread > SWING * size


def _inexact(values: Sequence[Any]) -> np.ndarray:
    """The floats of arrays, one after another."""
    return np.concatenate([np.ravel(array) for array in values if is_inexact(array)])


def _sizes_near_zero(values_at: ValuesAt) -> list[tuple[float, float]]:
    """The largest magnitudes on each side of zero: near it, and nearer."""
    return [(_largest(values_at, sign * NEAR), _largest(values_at, sign * NEARER)) for sign in (1, -1)]


@or_else(math.nan)
def _largest(values_at: ValuesAt, number: float) -> float:
    """The largest magnitude of a number in arrays; NaN where one is NaN, or the function refuses the number."""
    values = [np.asarray(array) for array in values_at(number) if is_inexact(array)]
    sizes = [np.max(np.abs(value), initial=0.0) for value in values]
    return float(np.max(sizes)) if sizes else math.nan
