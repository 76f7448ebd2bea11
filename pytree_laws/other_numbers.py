"""Numbers that examples of random ones do not have: whole ones, which meet in a tie, and large ones."""

from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .look.arrays import is_array, is_inexact, on_device
from .look.trees import put

LARGE = 100.0
Pair = tuple[Any, Any]
"""An instance, or its arrays, and what it is given."""


def whole(pair: Pair) -> Pair:
    """With floats from -2 to 2 without a part behind the point: above 0 where all of an array are.

    Those that stand alone are 1 and 2 in turn, as the bounds of a range are.
    """
    return _with_floats(pair, _whole)


def large(pair: Pair) -> Pair:
    """With large floats in what is given, and the instance as it is."""
    instance, given = pair
    return instance, _with_floats(given, lambda value, _: value * LARGE)


OTHERS: Mapping[str, Callable[[Pair], Pair]] = {
    " with whole numbers": whole,
    " with large numbers": large,
}
"""Ways to change what goes into a program, by how a record names what comes out of it."""


def _with_floats(tree: Any, change: Callable[[np.ndarray, int], np.ndarray]) -> Any:
    leaves = jax.tree.leaves(tree)
    floats = [i for i, leaf in enumerate(leaves) if is_array(leaf) and is_inexact(leaf)]
    new = {i: change(np.asarray(leaves[i]), i) for i in floats}
    return put(tree, {i: on_device(v, leaves[i].dtype) for i, v in new.items()})


def _whole(value: np.ndarray, seed: int) -> np.ndarray:
    if not value.shape:
        return np.asarray(1 + seed % 2)
    is_positive = not np.iscomplexobj(value) and bool((value > 0).all())
    some = np.array((1, 2) if is_positive else (1, -1, 2, 0, -2))
    order = np.random.default_rng(seed).permutation(value.size)
    return some[order % some.size].reshape(value.shape)


def is_finite(value: Any) -> bool:
    """Whether no element is infinite or NaN: what is, says more of the example than of the class."""
    return not is_inexact(value) or bool(jnp.isfinite(value).all())
