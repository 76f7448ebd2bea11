"""What a function gives near zero on both sides, which tells a mistake at zero from an edge of its domain and from a pole."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..inspect.arrays import is_inexact
from ..report import or_else

NEAR, NEARER = 1e-2, 1e-3  # float32 still tells the sum of their squares from zero
BOUNDED = 2.0
"""How much larger a value may be at a tenth of the distance from zero; that of a pole is ten times as large."""

ValuesAt = Callable[[float], Sequence[Any]]
"""The arrays that come of arguments which are all one number."""


def is_finite_around_zero(values_at: ValuesAt) -> bool:
    """Whether a function is finite near zero on both sides."""
    return all(math.isfinite(size) for side in _sizes_near_zero(values_at) for size in side)


def has_an_edge_at_zero(values_at: ValuesAt) -> bool:
    """Whether a function is finite on one side of zero alone, as a root is, or grows towards it, as a quotient does."""
    sides = [side for side in _sizes_near_zero(values_at) if all(map(math.isfinite, side))]
    return len(sides) == 1 or any(nearer > BOUNDED * near for near, nearer in sides)


def _sizes_near_zero(values_at: ValuesAt) -> list[tuple[float, float]]:
    """The largest magnitudes on each side of zero: near it, and nearer."""
    return [(_largest(values_at, sign * NEAR), _largest(values_at, sign * NEARER)) for sign in (1, -1)]


@or_else(math.nan)
def _largest(values_at: ValuesAt, number: float) -> float:
    """The largest magnitude of a number in arrays; NaN where one is NaN, or the function refuses the number."""
    values = [np.asarray(array) for array in values_at(number) if is_inexact(array)]
    sizes = [np.max(np.abs(value), initial=0.0) for value in values]
    return float(np.max(sizes)) if sizes else math.nan
