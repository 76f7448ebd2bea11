"""The example with other sizes: of 1, and those that a configuration may take."""

import dataclasses
import functools
import itertools
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .configurations import Trial
from .example_sizes import is_of_shapes
from .look.arrays import is_array, is_key
from .look.trees import arrays_of, structure
from .report import ANY_ERROR
from .uses import built_with, construction, traced

TRIES = 40


def resized(tree: Any, sizes: Mapping[int, int]) -> Any:
    """The tree with these sizes of axes replaced by others: elements are left out, or repeated."""

    def change(leaf: Any) -> Any:
        if not is_array(leaf) or not set(sizes) & set(leaf.shape):
            return leaf
        for axis, size in enumerate(leaf.shape):
            if size in sizes:
                leaf = leaf.take(np.arange(sizes[size]) % size, axis=axis)
        return leaf

    return jax.tree.map(change, tree)


def dims(tree: Any) -> list[int]:
    return sorted({size for leaf in arrays_of(tree) for size in leaf.shape if size})


def fits_otherwise(suite: Any, trial: Trial) -> bool:
    """Whether a call that failed on shapes takes arguments of other shapes."""
    if not is_of_shapes(trial.error):
        return False
    given = suite.arguments(0)
    return any(_takes(suite, trial, sizes) for sizes in _other_dims(trial, given))


def _other_dims(trial: Trial, given: Any) -> Iterator[dict[int, int]]:
    own, held = dims(given), dims((given, trial.instance))
    swaps = ({one: other, other: one} for one, other in itertools.combinations(held, 2))
    single = ({one: other} for one in own for other in held if one != other)
    yield from itertools.islice(itertools.chain(single, swaps), TRIES)


def _takes(suite: Any, trial: Trial, sizes: Mapping[int, int]) -> bool:
    def fit(given: Any) -> Any:
        return resized(given, sizes)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            traced(suite, trial.instance, trial.configuration.given, fit)
        except ANY_ERROR:
            return False
    return True


@dataclasses.dataclass(frozen=True)
class Resized:
    """What the example gives where one of its sizes is 1."""

    size: int
    names: tuple[str, ...]
    """The inputs and the arguments that have this size."""
    ranks: tuple[int, ...]
    error: Exception | None = None


@functools.cache
def of_size_one(laws: Any) -> tuple[Resized, ...]:
    """For each size of the example what comes of it with a size of 1, where that can be built and called."""
    suite = laws()
    constructor = construction(laws)
    inputs = (
        suite.inputs(0)
        if constructor is None or "seed" not in suite.inputs(0)
        else dict(constructor.given)
    )
    held = [v for v in inputs.values() if type(v) is int and v > 1]
    every = sorted({*held, *dims((inputs, suite.arguments(0)))} - {0, 1})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tuple(
            filter(None, (_of_size_one(suite, inputs, size) for size in every))
        )


def _of_size_one(suite: Any, inputs: Mapping[str, Any], size: int) -> Resized | None:
    ints = {name: 1 for name, v in inputs.items() if type(v) is int and v == size}
    arrays = {n: resized(v, {size: 1}) for n, v in inputs.items() if size in dims(v)}
    names = (*ints, *arrays)
    usual = suite.specimen()
    try:
        instance = built_with(suite, {**ints, **arrays}) if names else usual
        same = structure(instance) == structure(usual) or _alike(instance, usual)
        if not same:
            return None
        found, _ = traced(suite, instance, {}, lambda given: resized(given, {size: 1}))
    except ZeroDivisionError as error:
        return Resized(size, names, (), error)
    except ANY_ERROR:  # it need not be legal
        return None
    return Resized(
        size, names, tuple(jnp.ndim(out) for out in jax.tree.leaves(found[1]))
    )


def _alike(instance: Any, usual: Any) -> bool:
    """Whether two instances hold arrays of the same ranks under the same names."""
    pairs = [dict_of_ranks(one) for one in (instance, usual)]
    return pairs[0] == pairs[1]


def dict_of_ranks(tree: Any) -> list[tuple[str, int]]:
    found = jax.tree_util.tree_leaves_with_path(tree)
    return [
        (jax.tree_util.keystr(path), jnp.ndim(leaf) if not is_key(leaf) else 0)
        for path, leaf in found
    ]
