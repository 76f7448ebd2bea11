"""Rounding of a result, measured by changes in the last bits of its inputs."""

import math
from collections.abc import Callable
from typing import Any

import jax

from ..inspect.arrays import is_inexact, same_bits
from ..inspect.trees import structure
from .closeness import farthest
from .edge_values import rounded

MORE = 30
"""Factor by which rounding on the way may move a result farther than the last bits of its inputs do."""
MOST = 1e-2
"""Largest relative difference to which `MORE` applies. For a larger difference, the factor is 1."""
PATTERNS = range(6)
"""Patterns of rounding to try. In a single pattern, changes may cancel or stay on one side of a jump."""


def is_rounding(got: Any, wanted: Any, run: Callable[[Any], Any], given: Any) -> bool:
    """Whether two results of a program differ no more than the last bits of its inputs explain."""
    if not differs_in_values(got, wanted):
        return False
    distance = farthest(got, wanted)
    if not distance < math.inf:
        return False
    if distance > MOST and farthest(run(given), wanted) > 0:  # it gives something else each time
        return False
    more = MORE if distance <= MOST else 1
    return any(distance <= more * farthest(run(rounded(given, pattern)), wanted) for pattern in PATTERNS)


def rounds_so_far(suite: Any, instance: Any, arguments: Any, got: Any, wanted: Any) -> bool:
    """Whether the last bits of instance and arguments explain a difference, as for many norms."""
    arrays, back = suite.to_arrays(instance)

    def run(given: Any) -> Any:
        return suite.run(back(given[0]), *given[1])

    return is_rounding(got, wanted, run, (arrays, arguments))


def differs_in_values(got: Any, wanted: Any) -> bool:
    """Whether two results are alike but for the values of inexact arrays."""
    pairs = [*zip(jax.tree.leaves(got), jax.tree.leaves(wanted))]
    return structure(got) == structure(wanted) and all(
        (is_inexact(leaf) and is_inexact(other) and (leaf.shape, leaf.dtype) == (other.shape, other.dtype))
        or same_bits(leaf, other)
        for leaf, other in pairs
    )
