"""Known invariants, which an author declares by name.

    class TestLayerNorm(PytreeLaws):
        invariants = ("mean 0", "variance 1", "invariant under shift")

An invariant of outputs checks the first floating array that the call returns. An invariant of calls also
changes the first floating array among the arguments. `mean 0 along -1` checks a single axis.
"""

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ..inspect.arrays import is_inexact, is_key, wide_in_numpy
from ..inspect.trees import flatten, replace_leaves
from ..values.example_values import sample

Arrays = tuple[np.ndarray, np.ndarray]
"""The actual and the expected array."""
Call = Callable[..., np.ndarray]
"""Function that returns the first result for another first array, or for several keys."""
Axis = int | None

EPSILON = 1e-3  # what is added to a variance, or to a norm, before something is divided by it
DRAWS = 4096  # keys, where a mean over them is looked at
DEVIATIONS = 6.0  # of the mean of so many draws
_ALONG = re.compile(r"(.+) along (-?\d+)")


def _orthogonal(y: np.ndarray, axis: Axis) -> Arrays:
    short = y if y.shape[-1] <= y.shape[-2] else np.swapaxes(y, -1, -2)
    return np.swapaxes(short, -1, -2).conj() @ short, np.eye(short.shape[-1])


def _invariant(change: Callable[..., Any], call: Call, x: Any, axis: Axis) -> Arrays:
    return call(change(x, axis)), call(x)


def _equivariant(change: Callable[..., Any], call: Call, x: Any, axis: Axis) -> Arrays:
    return call(change(x, axis)), change(call(x), axis)


def _linear(call: Call, x: np.ndarray, axis: Axis) -> Arrays:
    other = np.asarray(sample(17, x.shape, x.dtype.name)).astype(x.dtype)
    return call(2 * x - 3 * other), 2 * call(x) - 3 * call(other)


def _mean_over_keys(call: Call, x: np.ndarray, axis: Axis) -> Arrays:
    """Return the mean of many draws, and this mean clipped to the argument plus or minus its error."""
    drawn = call(x, DRAWS)
    mean, error = drawn.mean(0), drawn.std(0) / np.sqrt(len(drawn))
    return mean, np.clip(mean, x - DEVIATIONS * error, x + DEVIATIONS * error)


OF_OUTPUTS: Mapping[str, Callable[[np.ndarray, Axis], Arrays]] = {
    "mean 0": lambda y, axis: (y.mean(axis), np.zeros(())),
    "variance 1": lambda y, axis: (y.var(axis), np.ones(())),
    "sums to 1": lambda y, axis: (y.sum(axis), np.ones(())),
    "length 1": lambda y, axis: (np.sqrt((np.abs(y) ** 2).sum(axis)), np.ones(())),
    "not negative": lambda y, _: (np.minimum(y, 0), np.zeros(())),
    "symmetric": lambda y, _: (y, np.swapaxes(y, -1, -2)),
    "orthogonal": _orthogonal,
}
TRANSFORMATIONS: Mapping[str, Callable[[np.ndarray, Axis], np.ndarray]] = {
    "shift": lambda x, _: x + 0.75,
    "scale": lambda x, _: x * 1.75,
    # With distinct elements, no other permutation is like it.
    "permutation": lambda x, axis: np.roll(x, 1, axis or 0),
}
OF_CALLS: Mapping[str, Callable[[Call, np.ndarray, Axis], Arrays]] = {
    **{f"invariant under {n}": functools.partial(_invariant, f) for n, f in TRANSFORMATIONS.items()},
    **{f"equivariant under {n}": functools.partial(_equivariant, f) for n, f in TRANSFORMATIONS.items()},
    "linear": _linear,
    "mean over keys kept": _mean_over_keys,
}
INVARIANTS = (*OF_OUTPUTS, *OF_CALLS)
_DIVIDED = ("variance 1", "length 1", "invariant under scale")
"""Invariants that a class satisfies only up to the epsilon in its divisor."""


def parsed(said: str) -> tuple[str, Axis]:
    """Split a declared invariant into its name and axis. Raise `ValueError` for an unknown name."""
    match = _ALONG.fullmatch(said)
    name, axis = (match[1], int(match[2])) if match else (said, None)
    if name not in INVARIANTS:
        known = ", ".join(INVARIANTS)
        raise ValueError(f"`{said}` is no known invariant: {known}; else write a `@holds`")
    return name, axis


def slack_of(said: str) -> float:
    """Return the error that an invariant allows besides rounding."""
    return EPSILON if parsed(said)[0] in _DIVIDED else 0.0


def both_sides(suite: Any, said: str, instance: Any, arguments: Sequence[Any]) -> Arrays:
    """Return the two arrays that an invariant says are equal, for an example."""
    name, axis = parsed(said)
    call = functools.partial(_first_result, suite, instance, arguments)
    if name in OF_OUTPUTS:
        return OF_OUTPUTS[name](call(None), axis)
    x = next((leaf for leaf in jax.tree.leaves(arguments) if is_inexact(leaf)), None)
    if x is None:
        raise ValueError(f"`{said}` is about an array of floats, which the call is not given")
    return OF_CALLS[name](call, wide_in_numpy(x), axis)


def _first_result(suite: Any, instance: Any, arguments: Any, x: Any, draws: int = 0) -> np.ndarray:
    """Return the first floating array of a call whose first floating argument is `x`.

    If `draws` is given, the result is stacked over so many keys.
    """
    leaves, treedef = flatten(tuple(arguments))
    first = next((i for i, leaf in enumerate(leaves) if is_inexact(leaf)), None)
    places = {} if x is None or first is None else {first: jnp.asarray(x, leaves[first].dtype)}
    call_arguments = replace_leaves(treedef.unflatten(leaves), places)
    keys = [i for i, leaf in enumerate(leaves) if is_key(leaf)]

    def first_array(arguments: Any) -> Any:
        arrays = [leaf for leaf in jax.tree.leaves(suite.apply(instance, *arguments)) if is_inexact(leaf)]
        if not arrays:
            raise ValueError("the call returns no array of floats")
        return arrays[0]

    if not draws:
        return wide_in_numpy(first_array(call_arguments))
    if not keys:
        raise ValueError("a mean over keys is of a call that is given a key")

    def drawn(seed: Any) -> Any:
        root_key = jax.random.key(seed)
        shapes = {i: leaves[i].shape for i in keys}
        key = {i: jax.random.split(root_key, n) if n else root_key for i, n in shapes.items()}
        return first_array(replace_leaves(call_arguments, key))

    return wide_in_numpy(jax.vmap(drawn)(jnp.arange(draws)))
