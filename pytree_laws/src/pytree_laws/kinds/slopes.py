"""Gradients of a class at the start and at generic points, and what they show."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import jax
import numpy as np
import pytest

from ..inspect.arrays import is_array
from ..report import doing
from ..session import once_per_session
from ..values.closeness import rounding_of
from ..values.edge_values import equalized

POINTS = 12  # the start, and random values
MORE_POINTS = 60  # where an element has no gradient at any of these

Slopes = dict[str, np.ndarray]
"""Gradients, or their sizes, by path."""


def grads_at(suite: Any, instance: Any, examples: Any) -> Slopes:
    """Return the gradients of all inexact arrays, summed over the examples."""
    grads = [suite.loss_and_grads(instance, arguments)[1] for arguments in examples]
    # NumPy makes no array of several scalars of bfloat16 that are of jax.
    return {name: np.sum([np.asarray(each[name]) for each in grads], axis=0) for name in grads[0]}


@once_per_session
def grads_at_start(suite: Any) -> Slopes:
    with doing("call", "the gradient of the call"):
        return grads_at(suite, *suite.training_example(or_buffers=True))


def grads_at_points(suite: Any) -> Iterator[Slopes]:
    """Yield the gradients at the start, and then elsewhere.

    Points without masks and with equal arguments come first: a short mask may leave attention a single key.
    """
    yield grads_at_start(suite)
    start, examples = suite.training_example(or_buffers=True)
    open_examples = jax.tree.map(lambda leaf: np.ones_like(leaf) if is_mask(leaf) else leaf, examples)
    if any(map(is_mask, jax.tree.leaves(examples))):
        with contextlib.suppress(Exception):
            yield grads_at(suite, start, open_examples)
            yield grads_at(suite, suite.at_point(1)[0], open_examples)
    equal = [*map(equalized, examples)]
    if any(one is not other for one, other in zip(*map(jax.tree.leaves, (examples, equal)))):
        with contextlib.suppress(Exception):
            yield grads_at(suite, suite.at_point(1)[0], equal)
    if suite.counted(start) is not start:
        with contextlib.suppress(Exception):
            yield grads_at(suite, suite.counted(suite.at_point(1)[0]), examples)
    for seed in range(1, MORE_POINTS):
        # A check in the call may refuse the values.
        with contextlib.suppress(Exception):
            yield grads_at(suite, *suite.at_point(seed))


def is_mask(leaf: Any) -> bool:
    return is_array(leaf) and leaf.dtype == bool and leaf.ndim > 0


@once_per_session
def every_point(suite: Any) -> list[Slopes]:
    """Return the sizes of slopes at each point, with 0 for what is not finite.

    The points end once more of them can show no more. If only some elements of an array have a gradient yet,
    more points follow.
    """
    points = (
        {name: np.where(np.isfinite(v), np.abs(v), 0) for name, v in point.items()}
        for point in grads_at_points(suite)
    )
    taken, greatest, felt = list[Slopes](), Slopes(), Slopes()
    for point in points:
        taken.append(point)
        greatest = greatest_of([greatest, point])
        felt = greatest_of([felt, {name: size > rounding_of(point) for name, size in point.items()}])
        is_rare = any(np.any(size) and not np.all(size) for size in greatest.values())
        if all(map(np.all, felt.values())) or (len(taken) >= POINTS and not is_rare):
            break
    return taken


@once_per_session
def greatest_grads(suite: Any) -> Slopes:
    """Return the greatest size of each slope over the start and generic points."""
    suite.training_example(or_buffers=True)
    return greatest_of(every_point(suite))


def greatest_of(points: Sequence[Mapping[str, np.ndarray]]) -> Slopes:
    result: Slopes = {}
    for point in points:
        for name, size in point.items():
            result[name] = np.maximum(result.get(name, 0 * size), size)
    return result


def shows(suite: Any, path: str) -> bool:
    """Whether a slope exceeds the rounding of its point anywhere."""
    suite.training_example(or_buffers=True)
    points = (point for point in every_point(suite) if path in point)
    return any(bool(np.any(point[path] > rounding_of(point))) for point in points)


def seems_unused(suite: Any, path: str) -> bool:
    """Whether an undeclared array has no gradient anywhere, as an array that is only held."""
    if suite.declares_arrays():
        return False
    try:
        suite.training_example()
    except pytest.skip.Exception:
        return True
    return not shows(suite, path)
