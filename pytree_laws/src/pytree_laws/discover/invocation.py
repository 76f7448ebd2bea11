"""How a suite builds and calls its class, with some of what it gives replaced."""

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
from ..trace.programs import with_static_modules


@once_per_session
def example_construction(suite: Any) -> Invocation | None:
    """The constructor or the factory that the example calls, where it is the one of the inputs."""
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
    """What the example gives its constructor, by parameter; nothing where that is not known."""
    constructor = example_construction(suite)
    return {} if constructor is None else constructor.given


def takes_any_input(suite: Any) -> bool:
    """Whether `build` hands on whatever it is given by name."""
    takes = inspect.signature(suite.build).parameters.values()
    return any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in takes)


@or_else(False)
def _builds_the_same(suite: Any, cls: type, invocation: Invocation) -> bool:
    """Whether a constructor alone makes what the example has."""
    again, first = _make(cls, invocation, {}), suite.cached_instance()
    return structure(again) == structure(first) and avals(again) == avals(first)


def _make(cls: type, invocation: Invocation, changes: Mapping[str, Any]) -> Any:
    positional, named = invocation.bound(changes)
    return getattr(cls, invocation.name, cls)(*positional, **named)


def takes_inputs(suite: Any, inputs: Mapping[str, Any]) -> bool:
    """Whether `build` takes inputs of these names; others are those of the constructor that it calls."""
    return takes_any_input(suite) or inputs.keys() <= inspect.signature(suite.build).parameters.keys()


@once_per_session
def asks_of_instances(suite: Any) -> bool:
    """Whether the arguments of the example are made of an instance, as the state is that its `init` gives."""
    asked, other = list[int](), copy.copy(suite)

    def make(seed: int) -> Any:
        asked.append(seed)
        return suite.make(seed)

    other.make = make
    other.arguments(0)
    return bool(asked)


def configured(suite: Any, inputs: Mapping[str, Any]) -> Any:
    """The suite with other inputs, where its arguments are made of an instance: they are of one that was built so."""
    if not (inputs and takes_inputs(suite, inputs) and asks_of_instances(suite)):
        return suite
    other, usual = copy.copy(suite), suite.inputs
    other.inputs = lambda seed: {**usual(seed), **inputs}
    return other


PLAIN = bool, int, float, str
"""What a setting or an input of these types is, its value says."""


def build_with(suite: Any, changes: Mapping[str, Any], abstractly: bool = True) -> Any:
    """An instance with some inputs changed; `abstractly`, with any values in its arrays, and to look at only."""
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
    """An abstract instance of one width of floats, which many laws look at; `1`, `1.0` and `True` are three inputs, though they are equal."""
    return suite.built_abstractly({**suite.inputs(0), **{name: value for name, _, value in changes}})


def call_function(
    suite: Any, changes: Mapping[str, Any], by_name: bool = False, in_place: bool = False
) -> tuple[Callable[..., Any], Any]:
    """A call as a function of an instance and a tree of what it is given, and that tree.

    With changes, or `by_name`, it is that of the method which the example calls; `in_place`, one that
    leaves in the instance what it changes there.
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
    """A use of an instance and of what it is given, as a function of the arrays of both; and these."""
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
    """The jaxpr of the call with its outputs, and what goes in; what the call is given is made to `fit`.

    With `after` the outputs are these, and what the call has changed in place.
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
    """What goes into the trace of a call, of an instance with other values than it was traced with.

    `move` gives the pair of its tree and of what the call is given other numbers.
    """
    _, arguments = call_function(suite, changes)
    return arrays_of(move((suite.to_tree(instance)[0], arguments)))


def trace_of_call(suite: Any, instance: Any, arguments: Sequence[Any]) -> Any:
    """The jaxpr of a call on the arrays of an instance and the arguments."""
    call, value = suite.pure_call(instance)
    run, given = with_static_modules(call, arguments)
    return jax.make_jaxpr(run)(value, *given)


def call_text(suite: Any, instance: Any, arguments: Sequence[Any]) -> str:
    """What a call computes, as text, or the error that it raises."""
    result = result_or_error(trace_of_call, suite, instance, arguments)
    return str(type(result) if isinstance(result, Exception) else result)


def defaults_of_call(suite: Any) -> dict[str, Any]:
    """The defaults of the call, which hold where nobody can see what it is given, as under `jax.vmap`."""
    cls = type(suite.cached_instance())
    parameters = inspect.signature(cls.__call__).parameters if callable(suite.cached_instance()) else {}
    return {name: p.default for name, p in parameters.items() if p.default is not inspect.Parameter.empty}
