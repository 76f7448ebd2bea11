"""Options that the example leaves at their default, with another value of the same kind.

No declaration says that a class accepts such a value, so an error is no fault of the class.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

from ..declare.methods import Method
from ..engine.first_use import example_call
from ..inspect.arrays import is_array
from ..inspect.branches import compared_strings
from ..inspect.call_recorder import EMPTY, Invocation
from ..inspect.parameter_values import members
from ..session import once_per_session
from .configurations import (
    Configuration,
    TracedConfiguration,
    accepted_configurations,
    traced_configurations,
    working_configurations,
)
from .invocation import example_construction
from .method_uses import Use, example_use, invocation_of, use_with

MAX_LIKELY = 8  # values that are tried of the constructor, of the call and of a method
SOME = {int: 2, float: 0.5}
"""Values, by type, of an option whose default is None."""
NUMBERS = {int: (SOME[int], 0, 1), float: (SOME[float], 1.0)}
"""Numbers, by type, of which an option that accepts the type accepts one: an index, a size, a share."""


@once_per_session
def likely_configurations(suite: Any) -> tuple[TracedConfiguration, ...]:
    """Return the configurations that work with another value of an option of the constructor or the call."""
    maker, call = example_construction(suite), example_call(suite)
    cls, configurations = type(suite.cached_instance()), list[Configuration]()
    if maker is not None:
        pairs = ((n, v) for n, v in likely_values(maker, cls) if type(v) is not int or maker.given[n] is None)
        configurations += [Configuration(inputs={name: value}) for name, value in pairs]
    if call is not None:
        values = likely_values(call, call.function)
        configurations += [Configuration(given={name: value}) for name, value in values]
    return working_configurations(suite, configurations)


def likely_uses(suite: Any, method: Method) -> Iterator[Use]:
    """Yield uses of a method with another value of an option, or an argument from another configuration.

    Such an argument is an instance of the class itself.
    """
    use = example_use(method, suite.elsewhere(suite.cached_instance()))
    invocation = invocation_of(method, use)
    if invocation is not None:
        yield from at_likely_values(method, invocation, use.instance)
        for name, value in _other_instances(suite, invocation):
            yield use_with(method, invocation, use.instance, name, value, flag=name)


def at_likely_values(method: Method, invocation: Invocation, instance: Any) -> Iterator[Use]:
    """Yield uses of a method with another value of each option that is at its default."""
    for name, value in likely_values(invocation, invocation.function):
        yield use_with(method, invocation, instance, name, value, flag=name)


def likely_values(invocation: Invocation, source: Callable[..., Any] | type) -> list[tuple[str, Any]]:
    """List the options that are at their default, each with another value."""
    annotations = invocation.annotations()
    options = [
        (name, value)
        for name, parameter in invocation.varied().items()
        if invocation.given[name] is parameter.default and not name.startswith("_")
        for value in _values(name, annotations.get(name, EMPTY), parameter.default, source)
    ]
    return options[:MAX_LIKELY]


def _values(name: str, annotation: Any, default: Any, source: Callable[..., Any] | type) -> Iterator[Any]:
    if type(default) is float:
        yield default / 2 if 0 < abs(default) < float("inf") else 0.5
    elif type(default) is int:
        yield default + 1
    elif type(default) is str:
        yield from (text for text in compared_strings(source, name) if text != default)
    elif default is None:
        yield from (SOME[kind] for kind in _kinds(annotation))


def _kinds(annotation: Any) -> list[type]:
    """List the types of numbers that an annotation allows."""
    words = re.split(r"\W+", annotation) if isinstance(annotation, str) else []
    kinds = [*members(annotation)] if not words else [k for k in SOME if k.__name__ in words]
    return [kind for kind in SOME if kind in kinds]


def numbers_for_none(invocation: Invocation) -> dict[str, list[Any]]:
    """Map each option that is None in the example to the numbers that its annotation allows."""
    annotations, options = invocation.annotations(), dict[str, list[Any]]()
    for name, parameter in invocation.varied().items():
        if parameter.default is None and invocation.given[name] is None and not name.startswith("_"):
            kinds = _kinds(annotations.get(name, EMPTY))
            options[name] = [value for kind in kinds for value in NUMBERS[kind]]
    return {name: values for name, values in options.items() if values}


def _other_instances(suite: Any, invocation: Invocation) -> Iterator[tuple[str, Any]]:
    """Yield each argument of the class itself, with an instance of another configuration."""
    cls = type(suite.cached_instance())
    names = [name for name in invocation.varied() if type(invocation.given[name]) is cls]
    if not names:
        return
    for trial in (
        *likely_configurations(suite),
        *accepted_configurations(suite),
        *traced_configurations(suite),
    ):
        values = trial.configuration.inputs.values()
        if trial.instance is not None and len(values) == 1 and not any(map(is_array, values)):
            yield from ((name, suite.elsewhere(trial.instance)) for name in names)
            return
