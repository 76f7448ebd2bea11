"""Builds and calls of a suite's class, with some inputs and arguments replaced."""

import copy
import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax

from ..engine.first_use import example_call, first_build, recorded_call
from ..inspect.arrays import is_array, real_dtype
from ..inspect.call_recorder import Invocation, record_constructors
from ..inspect.trees import (
    arrays_of,
    avals,
    combine,
    named_leaves,
    partition,
    remade,
    structure,
    without_functions,
)
from ..report import or_else, result_or_error
from ..session import once_per_session
from ..trace.jaxprs import NEEDS_VALUES
from ..trace.program_texts import program_text
from ..trace.programs import with_static_modules


@once_per_session
def example_construction(suite: Any) -> Invocation | None:
    """Return the constructor or factory that the example calls with its inputs, or None."""
    if first_build(suite).error is not None:
        return None
    inputs = suite.inputs(0)
    cls = type(suite.cached_instance())
    with warnings.catch_warnings(action="ignore"):
        invocations = record_constructors(cls, lambda: suite.build(**inputs))
    if takes_any_input(suite):
        return next((each for each in invocations if inputs.keys() <= each.given.keys()), None)
    return next((each for each in invocations if _builds_the_same(suite, cls, each)), None)


def given_to_constructor(suite: Any) -> Mapping[str, Any]:
    """Return the arguments of the example's constructor by parameter, or nothing if it is unknown."""
    constructor = example_construction(suite)
    return {} if constructor is None else constructor.given


def takes_any_input(suite: Any) -> bool:
    """Whether `build` accepts any keyword argument."""
    takes = inspect.signature(suite.build).parameters.values()
    return any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in takes)


@or_else(False)
def _builds_the_same(suite: Any, cls: type, invocation: Invocation) -> bool:
    """Whether a recorded constructor, called alone, builds the instance of the example."""
    again, first = _make(cls, invocation, {}), suite.cached_instance()
    return structure(again) == structure(first) and avals(again) == avals(first)


def _make(cls: type, invocation: Invocation, changes: Mapping[str, Any]) -> Any:
    positional, named = invocation.bound(changes)
    return getattr(cls, invocation.name, cls)(*positional, **named)


def takes_inputs(suite: Any, inputs: Mapping[str, Any]) -> bool:
    """Whether `build` accepts inputs of these names. Other names are arguments of its constructor."""
    return takes_any_input(suite) or inputs.keys() <= inspect.signature(suite.build).parameters.keys()


@once_per_session
def asks_of_instances(suite: Any) -> bool:
    """Whether the example arguments are made from an instance, such as a state from its `init`."""
    asked, other = list[int](), copy.copy(suite)

    def make(seed: int) -> Any:
        asked.append(seed)
        return suite.make(seed)

    other.make = make
    other.arguments(0)
    return bool(asked)


def configured(suite: Any, inputs: Mapping[str, Any]) -> Any:
    """Return the suite with other inputs if its arguments are made from an instance, else itself."""
    if not (inputs and takes_inputs(suite, inputs) and asks_of_instances(suite)):
        return suite
    other, usual = copy.copy(suite), suite.inputs
    other.inputs = lambda seed: {**usual(seed), **inputs}
    return other


PLAIN = bool, int, float, str
"""Types of settings and inputs that are fully described by their value."""


def build_with(suite: Any, changes: Mapping[str, Any], abstractly: bool = True) -> Any:
    """Build an instance with some inputs changed.

    If built `abstractly`, its arrays have arbitrary values, and laws must not change it.
    """
    if not takes_inputs(suite, changes):
        constructor: Any = example_construction(suite)  # the changes come from it
        return _make(type(suite.cached_instance()), constructor, changes)
    if not abstractly:
        return suite.build(**{**suite.inputs(0), **changes})
    if all(type(value) in PLAIN for value in changes.values()):
        typed = ((name, type(value), value) for name, value in sorted(changes.items()))
        return _built_once(suite, real_dtype("float"), *typed)
    return suite.built_abstractly({**suite.inputs(0), **changes})


@once_per_session
def _built_once(suite: Any, width: Any, *changes: tuple[str, type, Any]) -> Any:
    """Build an abstract instance once for each dtype of floats.

    The types in `changes` distinguish `1`, `1.0` and `True`, which are equal.
    """
    return suite.built_abstractly({**suite.inputs(0), **{name: value for name, _, value in changes}})


def call_function(
    suite: Any, changes: Mapping[str, Any], by_name: bool = False, in_place: bool = False
) -> tuple[Callable[..., Any], Any]:
    """Return the call as a function of an instance and a tree of arguments, and that tree.

    With changes, or with `by_name`, it is the method that the example calls. With `in_place`, the call keeps
    its updates of the instance.
    """
    # What a suite of other inputs gives is of its own: the call of the example is that of the class.
    use = recorded_call(suite) if "inputs" in vars(suite) else example_call(suite)
    if use is None or not (changes or by_name):
        run = suite.call if in_place else suite.apply
        return lambda instance, arguments: without_functions(run(instance, *arguments)), suite.arguments(0)
    kept = {name: v for name, v in use.given.items() if name not in changes}

    def call(instance: Any, arguments: Any) -> Any:
        return without_functions(use.call(instance, {**arguments, **changes}))

    return call, remade(kept)


def on_arrays(
    suite: Any, instance: Any, given: Any, use: Callable[[Any, Any], Any]
) -> tuple[Callable[..., Any], tuple[Any, Any]]:
    """Turn a use of an instance and arguments into a function of their arrays, and return it with these."""
    value, back = suite.to_arrays(instance)
    static, arrays = partition(given)
    return lambda value, arrays: use(back(value), combine(static, arrays)), (value, arrays)


def trace_call(
    suite: Any,
    instance: Any,
    changes: Mapping[str, Any],
    fit: Callable[[Any], Any] = lambda arguments: arguments,
    by_name: bool = False,
    after: bool = False,
) -> Any:
    """Trace the call, and return its jaxpr and form with the names and arrays that it takes.

    `fit` changes the arguments. With `after`, the outputs include the values that the call changes in place.
    If the call needs concrete values, the trace takes no inputs.
    """
    call, arguments = call_function(suite, changes, by_name, in_place=after)
    arguments = fit(arguments)
    tree, back = suite.to_tree(instance)
    static, arrays = partition((tree, arguments))

    def use(values: Sequence[Any]) -> Any:
        instance, rest = combine(static, values)
        node = back(instance)
        result = call(node, rest)
        return (result, suite.changed_in_place(node)) if after else result

    parts = [(suite.declared_name(name), leaf) for name, leaf in named_leaves(tree)], named_leaves(arguments)
    named = [
        (f"{place}.{name}".rstrip("."), leaf)
        for place, part in enumerate(parts)
        for name, leaf in part
        if is_array(leaf)
    ]
    try:
        return jax.make_jaxpr(use, return_shape=True)(arrays), named
    except NEEDS_VALUES:
        return jax.make_jaxpr(lambda: use(arrays), return_shape=True)(), ()


def trace_inputs(
    suite: Any, instance: Any, changes: Mapping[str, Any], move: Callable[[Any], Any] = lambda pair: pair
) -> list[Any]:
    """Return the arrays for the trace of a call, from an instance with other values.

    `move` may change the numbers in the pair of instance and arguments.
    """
    _, arguments = call_function(suite, changes)
    return arrays_of(move((suite.to_tree(instance)[0], arguments)))


def trace_of_call(suite: Any, instance: Any, arguments: Sequence[Any]) -> Any:
    """Trace a call on the arrays of an instance and the arguments."""
    call, value = suite.pure_call(instance)
    run, given = with_static_modules(call, arguments)
    return jax.make_jaxpr(run)(value, *given)


def call_text(suite: Any, instance: Any, arguments: Sequence[Any]) -> str:
    """Return the program of a call as text, or the type of the error that it raises."""
    result = result_or_error(trace_of_call, suite, instance, arguments)
    return str(type(result)) if isinstance(result, Exception) else program_text(result)


def defaults_of_call(suite: Any) -> dict[str, Any]:
    """Return the defaults of `__call__`, for a call that cannot be recorded, as under `jax.vmap`."""
    cls = type(suite.cached_instance())
    parameters = inspect.signature(cls.__call__).parameters if callable(suite.cached_instance()) else {}
    return {name: p.default for name, p in parameters.items() if p.default is not inspect.Parameter.empty}
