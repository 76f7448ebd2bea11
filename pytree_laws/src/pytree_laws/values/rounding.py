"""How far rounding moves a result: as far as the last bits of what it is computed from do."""

import math
from collections.abc import Callable
from typing import Any

import jax

from ..inspect.arrays import is_inexact, same_bits
from ..inspect.trees import structure
from .closeness import farthest
from .edge_values import rounded

MORE = 30
"""How many times farther than the last bits of what goes in a result may be moved by rounding on the way."""
MOST = 1e-2
"""How far rounding on the way may move a result; what is farther the last bits themselves have to move as far."""
PATTERNS = range(6)
"""In one alone, what is moved may cancel, or stay on one side of a jump."""


def is_rounding(got: Any, wanted: Any, run: Callable[[Any], Any], given: Any) -> bool:
    """Whether two results of one program differ no farther than the last bits of what it is given move what it gives."""
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
    """Whether the last bits of the instance and of the arguments move the result as far: many norms do, and differences of large numbers."""
    arrays, back = suite.to_arrays(instance)

    def run(given: Any) -> Any:
        return suite.run(back(given[0]), *given[1])

    return is_rounding(got, wanted, run, (arrays, arguments))


def differs_in_values(got: Any, wanted: Any) -> bool:
    """Whether two results are alike but for the values of their floats."""
    pairs = [*zip(jax.tree.leaves(got), jax.tree.leaves(wanted))]
    return structure(got) == structure(wanted) and all(
        (is_inexact(leaf) and is_inexact(other) and (leaf.shape, leaf.dtype) == (other.shape, other.dtype))
        or same_bits(leaf, other)
        for leaf, other in pairs
    )
