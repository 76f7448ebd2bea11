"""The example with other sizes: 1 and 0, and sizes that a configuration may take."""

import dataclasses
import functools
import itertools
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from ..errors import is_of_package, raises_deliberately
from ..inspect.arrays import is_array, is_key, on_device
from ..inspect.trees import axis_sizes, structure
from ..report import ANY_ERROR, or_else
from ..session import once_per_session
from ..values.example_sizes import is_of_shapes
from .configurations import Configuration, TracedConfiguration
from .invocation import build_with, configured, example_construction, trace_call

TRIES = 40


def resized(tree: Any, sizes: Mapping[int, int]) -> Any:
    """Replace these sizes of axes in a tree by others. Elements are dropped or repeated."""

    def change(leaf: Any) -> Any:
        if not is_array(leaf) or not set(sizes) & set(leaf.shape):
            return leaf
        for axis, size in enumerate(leaf.shape):
            if size in sizes:
                leaf = _taken(leaf, np.arange(sizes[size]) % size, axis)
        return leaf

    return jax.tree.map(change, tree)


def _taken(leaf: Any, places: np.ndarray, axis: int) -> Any:
    """Take elements along an axis through NumPy, so that nothing is compiled."""
    is_plain = isinstance(leaf, jax.Array) and not is_key(leaf)
    if not is_plain or isinstance(leaf, Tracer):
        return leaf.take(places, axis=axis)
    return on_device(np.asarray(leaf).take(places, axis=axis))


def at_a_bound(suite: Any, changes: Mapping[str, Any]) -> TracedConfiguration:
    """Build an accepted configuration and call it with the example, resized if a size is changed."""
    configuration = Configuration(inputs=dict(changes), is_declared=True)
    trial = TracedConfiguration(configuration, configured(suite, changes))
    inputs = suite.inputs(0)
    pairs = [(inputs.get(name), value) for name, value in changes.items()]
    sizes = {usual: v for usual, v in pairs if type(usual) is int and type(v) is int}
    try:
        trial.instance = build_with(suite, changes)
    except ANY_ERROR as error:  # P1 tells it
        trial.error = error
        return trial
    _trace(suite, trial, lambda arguments: arguments)
    if sizes:
        _trace(suite, trial, lambda arguments: resized(arguments, sizes))
    return trial


def _trace(suite: Any, trial: TracedConfiguration, fit: Callable[[Any], Any]) -> None:
    """Trace a call if it has no trace yet, and record the error that stops this."""
    if trial.trace is not None:
        return
    cls = type(suite.cached_instance())
    try:
        trial.trace, trial.inputs = trace_call(trial.suite, trial.instance, trial.configuration.given, fit)
        trial.error = None
    except ANY_ERROR as error:
        trial.error, trial.refused = error, raises_deliberately(error, cls)


def dims(tree: Any) -> list[int]:
    return sorted(axis_sizes(tree) - {0})


def fits_otherwise(suite: Any, trial: TracedConfiguration) -> bool:
    """Whether a call that failed on shapes accepts arguments of other shapes."""
    if not is_of_shapes(trial.error):
        return False
    arguments = suite.arguments(0)
    argument_dims, all_dims = dims(arguments), dims((arguments, trial.instance))
    swaps = ({dim: other, other: dim} for dim, other in itertools.combinations(all_dims, 2))
    single = ({dim: other} for dim in argument_dims for other in all_dims if dim != other)
    return any(_takes(trial, sizes) for sizes in itertools.islice(itertools.chain(single, swaps), TRIES))


@or_else(False)
def _takes(trial: TracedConfiguration, sizes: Mapping[int, int]) -> bool:
    given = trial.configuration.given
    with warnings.catch_warnings(action="ignore"):
        trace_call(trial.suite, trial.instance, given, lambda arguments: resized(arguments, sizes))
    return True


@dataclasses.dataclass(frozen=True)
class Resized:
    """Result of the example with one of its sizes changed."""

    size: int
    became: int
    names: tuple[str, ...]
    """Inputs that have this size."""
    outputs: tuple[Any, ...] = ()
    """Shapes and dtypes of the outputs."""
    error: Exception | None = None

    @property
    def ranks(self) -> tuple[int, ...]:
        return tuple(map(jnp.ndim, self.outputs))

    @property
    def dtypes(self) -> tuple[str, ...]:
        return tuple(str(output.dtype) for output in self.outputs)


@once_per_session
def of_small_sizes(suite: Any) -> tuple[Resized, ...]:
    """Return results of the example with each of its sizes at 1 and at 0.

    Sizes at which it cannot be built or called are left out.
    """
    inputs = inputs_of(suite)
    sizes = [v for v in inputs.values() if type(v) is int and v > 1]
    every = sorted({*sizes, *dims((inputs, suite.arguments(0)))} - {0, 1})
    with warnings.catch_warnings(action="ignore"):
        every_trial = (_of_size(suite, inputs, size, other) for other in (1, 0) for size in every)
        trials = [trial for trial in every_trial if trial is not None]
        counts = _counts_of_axes(suite, trials) if trials else ()
        return tuple(trial for trial in trials if trial.size not in counts)


def _counts_of_axes(suite: Any, trials: Sequence[Resized]) -> set[int]:
    """Return the numbers that count axes, and are no sizes: every larger number changes output ranks."""
    inputs, outputs = inputs_of(suite), suite.traced_outputs()
    usual = tuple(len(output.shape) for output in outputs), tuple(str(output.dtype) for output in outputs)
    differing = (trial for trial in trials if trial.error is None and (trial.ranks, trial.dtypes) != usual)

    def is_size(size: int) -> bool:
        larger = (_of_size(suite, inputs, size, other) for other in (size + 1, 2 * size, 3 * size))
        return any(trial is not None and trial.ranks == usual[0] for trial in larger)

    return {size for size in sorted({trial.size for trial in differing}) if not is_size(size)}


def inputs_of(suite: Any) -> Mapping[str, Any]:
    """Return the arguments of the constructor: the suite's inputs, or recorded arguments for a seed."""
    constructor = example_construction(suite)
    is_plain = constructor is None or "seed" not in suite.inputs(0)
    return suite.inputs(0) if is_plain or constructor is None else dict(constructor.given)


def hard_coded_sizes(suite: Any) -> Iterator[tuple[str, int, Exception]]:
    """Yield sizes that the constructor accepts but no call does: name, another size, and the call's error.

    Several other sizes are tried, since a size may have to be a multiple or a divisor of another size.
    """
    inputs = inputs_of(suite)
    every, given = _sizes_of(inputs, suite.arguments(0)), dims(suite.arguments(0))
    for name, size in inputs.items():
        if type(size) is not int or size < 2:
            continue
        # Of arguments that are parts of it nobody knows which to lengthen: `jnp.concatenate([x, t])`.
        if size not in given and any(size - part in given for part in given):
            continue
        errors = (_error_at(suite, inputs, size, other) for other in _other_sizes(size, every))
        first = next(errors)
        if first is not None and all(error is not None for error in errors):
            yield name, size + 1, first


def of_other_sizes(suite: Any) -> Iterator[tuple[dict[int, int], Any]]:
    """Yield instances with one size changed to a number that the example does not contain."""
    inputs, usual = inputs_of(suite), suite.cached_instance()
    given = suite.arguments(0) if suite.called() else ()
    every = _sizes_of(inputs, given) - {0, 1}
    for size in sorted(every):
        other = next(number for number in itertools.count(size + 1) if number not in every)
        changes = _inputs_of_size(inputs, size, other)
        if not changes:
            continue
        with warnings.catch_warnings(action="ignore"):
            try:
                instance = suite.elsewhere(build_with(suite, changes))
                is_alike = _alike(instance, usual)
            except ANY_ERROR:  # it need not be legal
                continue
        if is_alike:
            yield {size: other}, instance


def _sizes_of(inputs: Mapping[str, Any], given: Any) -> set[int]:
    """Return the sizes of all axes in inputs and arguments, and the integers among the inputs."""
    return {*dims((dict(inputs), given)), *(v for v in inputs.values() if type(v) is int)}


def _other_sizes(size: int, every: set[int]) -> list[int]:
    """List larger sizes, and divisors of the sizes that this size divides.

    A smaller size could hide a slice up to a fixed number.
    """
    divided = sorted(other for other in every if other > size and other % size == 0)
    divisors = [d for other in divided for d in range(1, other) if other % d == 0 and d != size]
    return [size + 1, 2 * size, 3 * size, *dict.fromkeys(divisors)]


@or_else(None)  # it need not be legal
def _error_at(suite: Any, inputs: Mapping[str, Any], size: int, other: int) -> Exception | None:
    """Return the error about shapes that a call raises at another size.

    Return None if a call works, refuses the size, or cannot be compared.
    """
    usual = suite.cached_instance()
    with warnings.catch_warnings(action="ignore"):
        instance = build_with(suite, _inputs_of_size(inputs, size, other))
        fits = _ways_to_fit(size, other, suite.arguments(0)) if _alike(instance, usual) else ()
        errors = [_error_of_call(suite, instance, fit) for fit in fits]
    return errors[0] if errors and None not in errors else None


def _ways_to_fit(size: int, other: int, example: Any) -> Iterator[Callable[[Any], Any]]:
    """Yield ways in which arguments may follow a size.

    In the last ways one argument keeps its size, since an axis may agree by accident. An example is an axis
    of the two ends of an edge.
    """
    for sizes in _fits(size, other, dims(example)):
        yield functools.partial(resized, sizes=sizes)
    for place, argument in enumerate(example):
        if size in dims(argument):
            yield functools.partial(_resized_but, place=place, sizes={size: other})


def _resized_but(arguments: Sequence[Any], place: int, sizes: Mapping[int, int]) -> tuple[Any, ...]:
    return tuple(each if i == place else resized(each, sizes) for i, each in enumerate(arguments))


def _fits(size: int, other: int, given: Sequence[int]) -> Iterator[dict[int, int]]:
    """Yield ways in which sizes of arguments may follow a size: equal, as multiples, or equally shifted."""
    yield {size: other}
    multiples = {dim: dim // size * other for dim in given if dim % size == 0}
    if multiples.keys() - {size}:
        yield multiples
    yield from ({size: other, dim: dim + other - size} for dim in given if dim != size)


def _error_of_call(suite: Any, instance: Any, fit: Callable[[Any], Any]) -> Exception | None:
    """Return the error about shapes of a call with fitted arguments.

    Return None if the call works, or refuses the arguments on purpose.
    """
    try:
        trace_call(suite, instance, {}, fit)
    except ANY_ERROR as error:
        is_meant = not is_of_shapes(error) or raises_deliberately(error, type(instance))
        return None if is_meant else error
    return None


def _inputs_of_size(inputs: Mapping[str, Any], size: int, other: int) -> dict[str, Any]:
    """Return the inputs that equal a size, or have an axis of this size, changed to another size."""
    ints = {n: other for n, v in inputs.items() if type(v) is int and v == size}
    return ints | {n: resized(v, {size: other}) for n, v in inputs.items() if size in dims(v)}


@or_else(None)  # it need not be legal
def _of_size(suite: Any, inputs: Mapping[str, Any], size: int, other: int) -> Resized | None:
    sizes = {size: other}
    changes = _inputs_of_size(inputs, size, other)
    names = tuple(changes)
    usual = suite.cached_instance()
    try:
        instance = build_with(suite, changes) if changes else usual
        same = structure(instance) == structure(usual) or _alike(instance, usual)
        if not same:
            return None
        trace, _ = trace_call(suite, instance, {}, lambda arguments: resized(arguments, sizes))
    except ZeroDivisionError as error:
        # A size of 1 is one like others, unless it leaves nothing to a layer of another package; nobody need allow one of 0.
        return Resized(size, other, names, (), error) if other and is_of_package(error, type(usual)) else None
    return Resized(size, other, names, tuple(jax.tree.leaves(trace[1])))


def _alike(instance: Any, usual: Any) -> bool:
    """Whether two instances have arrays of the same ranks under the same names."""
    return _ranks(instance) == _ranks(usual)


def _ranks(tree: Any) -> list[tuple[str, int]]:
    leaves = jax.tree_util.tree_leaves_with_path(tree)
    return [(jax.tree_util.keystr(path), jnp.ndim(leaf) if not is_key(leaf) else 0) for path, leaf in leaves]
