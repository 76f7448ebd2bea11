"""How a suite builds and calls its class, with some of what it gives replaced."""

import functools
import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax

from ..engine.runner import first_build, first_call
from ..inspect.arrays import is_array
from ..inspect.call_recorder import Invocation, called, constructed
from ..inspect.trees import (
    arrays_of,
    avals,
    flatten,
    merge,
    named_leaves,
    split,
    structure,
    without_functions,
)
from ..report import ANY_ERROR
from ..trace.jaxprs import NEEDS_VALUES


@functools.cache
def construction(laws: Any) -> Invocation | None:
    """The constructor or the factory that the example calls, where it is the one of the inputs."""
    suite = laws()
    if first_build(laws).error is not None:
        return None
    inputs = suite.inputs(0)
    cls = type(suite.specimen())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = constructed(cls, lambda: suite.build(**inputs))
    if takes_any_input(suite):
        return next((one for one in found if inputs.keys() <= one.given.keys()), None)
    return next((one for one in found if _builds_the_same(suite, cls, one)), None)


def takes_any_input(suite: Any) -> bool:
    """Whether `build` hands on whatever it is given by name."""
    takes = inspect.signature(suite.build).parameters.values()
    return any(one.kind is inspect.Parameter.VAR_KEYWORD for one in takes)


def _builds_the_same(suite: Any, cls: type, one: Invocation) -> bool:
    """Whether a constructor alone makes what the example has."""
    try:
        again = _make(cls, one, {})
    except ANY_ERROR:
        return False
    first = suite.specimen()
    return structure(again) == structure(first) and avals(again) == avals(first)


def _make(cls: type, one: Invocation, changes: Mapping[str, Any]) -> Any:
    positional, named = one.bound(changes)
    maker = getattr(cls, one.name, cls)
    return maker(*positional, **named)


@functools.cache
def use_of(laws: Any) -> Invocation | None:
    """The method that the example calls, with what it is given."""
    suite = laws()
    if not suite.called() or first_call(laws).error is not None:
        return None
    instance, arguments = suite.make(0), suite.arguments(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return called(instance, lambda: suite.call(instance, *arguments))


def built_with(suite: Any, changes: Mapping[str, Any], abstractly: bool = True) -> Any:
    """An instance with some inputs changed; `abstractly`, with any values in its arrays."""
    laws: Any = type(suite)
    inputs = suite.inputs(0)
    takes = inspect.signature(suite.build).parameters
    if takes_any_input(suite) or changes.keys() <= takes.keys():
        given = {**inputs, **changes}
        return suite.built_abstractly(given) if abstractly else suite.build(**given)
    constructor: Any = construction(laws)  # the changes come from it
    return _make(type(suite.specimen()), constructor, changes)


def call_of(
    suite: Any,
    changes: Mapping[str, Any],
    by_name: bool = False,
    in_place: bool = False,
) -> tuple[Callable[..., Any], Any]:
    """A call as a function of an instance and a tree of what it is given, and that tree.

    With changes, or `by_name`, it is that of the method which the example calls; `in_place`, one that
    leaves in the instance what it changes there.
    """
    laws: Any = type(suite)
    use = use_of(laws)
    if use is None or not (changes or by_name):
        run = suite.call if in_place else suite.apply
        return lambda instance, given: without_functions(
            run(instance, *given)
        ), suite.arguments(0)
    kept = {name: v for name, v in use.given.items() if name not in changes}

    def call(instance: Any, given: Any) -> Any:
        positional, named = use.bound({**given, **changes})
        return without_functions(getattr(instance, use.name)(*positional, **named))

    leaves, treedef = flatten(kept)
    return call, treedef.unflatten(leaves)


def traced(
    suite: Any,
    instance: Any,
    changes: Mapping[str, Any],
    fit: Callable[[Any], Any] = lambda given: given,
    by_name: bool = False,
    after: bool = False,
) -> Any:
    """The jaxpr of the call with its outputs, and what goes in; what the call is given is made to `fit`.

    With `after` the outputs are these, and what the call has changed in place.
    """
    call, given = call_of(suite, changes, by_name, in_place=after)
    given = fit(given)
    tree, back = suite.apart(instance)
    static, arrays = split((tree, given))

    def use(values: Sequence[Any]) -> Any:
        held, rest = merge(static, values)
        node = back(held)
        result = call(node, rest)
        return (result, suite.changed_in_place(node)) if after else result

    named = [(name, v) for name, v in named_leaves((tree, given)) if is_array(v)]
    try:
        return jax.make_jaxpr(use, return_shape=True)(arrays), named
    except NEEDS_VALUES:
        return jax.make_jaxpr(lambda: use(arrays), return_shape=True)(), ()


def inputs_of(
    suite: Any,
    instance: Any,
    changes: Mapping[str, Any],
    move: Callable[[Any], Any] = lambda pair: pair,
) -> list[Any]:
    """What goes into the trace of a call, of an instance with other values than it was traced with.

    `move` gives the pair of its tree and of what the call is given other numbers.
    """
    _, given = call_of(suite, changes)
    return arrays_of(move((suite.apart(instance)[0], given)))
