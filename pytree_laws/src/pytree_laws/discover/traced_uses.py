"""Uses of the methods of a suite's class, each traced once for the laws and the record of numbers."""

import enum
import itertools
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp

from ..declare.methods import Method
from ..inspect.trees import differing, instances_in
from ..report import result_or_error
from ..session import once_per_session
from ..trace.program_texts import program_text
from .configurations import (
    Configuration,
    TracedConfiguration,
    accepted_configurations,
    traced_configurations,
    working_configurations,
)
from .likely import likely_uses
from .method_programs import the_call, usable
from .method_uses import (
    Traced,
    Use,
    example_use,
    is_built_otherwise,
    trace_text,
    trace_use,
    uses_of,
    uses_of_instances,
)

MAX_HIDDEN = 6
"""Number of pairs of a hidden value and an option that are tried for a class."""


class TracedUse(NamedTuple):
    """A use of a method with its trace, or None if it cannot be traced."""

    use: Use
    trace: Traced | None
    is_likely: bool
    """Whether the value of an option is only likely to be legal, with no annotation that lists it."""


@once_per_session
def traced_uses(suite: Any) -> dict[str, tuple[TracedUse, ...]]:
    """Map each method to its uses, beginning with the example."""
    every = {
        method.name: [
            *_traced(suite, uses_of(suite, method)),
            *_traced(suite, likely_uses(suite, method), is_likely=True),
        ]
        for method in usable(suite)
    }
    hidden = hidden_configurations(suite, every)
    return {
        method.name: (
            *every[method.name],
            *_traced(suite, uses_of_instances(suite, method, hidden)),
            *_traced(suite, uses_on_given(suite, method)),
        )
        for method in usable(suite)
    }


@once_per_session
def calls_on_given(suite: Any) -> tuple[TracedUse, ...]:
    """Return the call on each instance that a method gives with other flags, if its trace differs there."""
    if not suite.called():
        return ()
    call = the_call(suite)
    usual, *others = _traced(suite, [example_use(call, suite.cached_instance()), *uses_on_given(suite, call)])
    return tuple(each for each in others if usual.trace and _text(each) != _text(usual))


def _text(traced: TracedUse) -> str:
    return trace_text(traced.trace) if traced.trace else ""


def uses_on_given(suite: Any, method: Method) -> Iterator[Use]:
    """Yield uses of a method on the instances that methods give with other flags."""
    for giver, instance, changes in _given_with_other_flags(suite):
        use = example_use(method, instance)
        yield use._replace(name=f"{method.name} after {giver}", changes=changes)


Flags = dict[str, Any]
"""Static values that are bools, texts or members of an enum, or None, by path."""


@once_per_session
def _given_with_other_flags(suite: Any) -> tuple[tuple[str, Any, Flags], ...]:
    """Return the methods that give instances with flags that no configuration has, and these flags.

    The arguments of examples fit such an instance, since its arrays have the shapes of the example.
    """
    built = [trial.instance for trial in traced_configurations(suite) if trial.instance is not None]
    known = [_flags(suite, instance) for instance in built]
    given: list[tuple[str, Any, Flags]] = []
    with warnings.catch_warnings(action="ignore"):
        for method in usable(suite):
            instance = result_or_error(_given_by, suite, method)
            flags = _flags(suite, instance) if type(instance) is type(suite.cached_instance()) else {}
            if flags.keys() == known[0].keys() and flags not in known and _has_shapes(suite, instance):
                known.append(flags)
                given.append((method.name, instance, differing(flags, known[0])[0]))
    return tuple(given)


def _given_by(suite: Any, method: Method) -> Any:
    """Return the instance that a method gives, or the instance that it updates in place."""
    instance = suite.copied(suite.elsewhere(suite.cached_instance()))
    result = method.use(instance, *method.arguments(0))
    return instance if suite.is_mutable else next(iter(instances_in(result, type(instance))), None)


def _flags(suite: Any, instance: Any) -> Flags:
    kinds = bool, str, enum.Enum, type(None)
    return {path: value for path, value in suite.statics_of(instance) if isinstance(value, kinds)}


def _has_shapes(suite: Any, instance: Any) -> bool:
    """Whether the arrays that an instance shares with the example have the same shapes."""
    usual, own = (suite.named(each) for each in (suite.cached_instance(), instance))
    return all(jnp.shape(own[path]) == jnp.shape(usual[path]) for path in own.keys() & usual)


def _traced(suite: Any, uses: Iterable[Use], *, is_likely: bool = False) -> list[TracedUse]:
    with warnings.catch_warnings(action="ignore"):
        return [TracedUse(use, trace_use(suite, use), is_likely) for use in [*uses]]


def hidden_configurations(
    suite: Any, uses: Mapping[str, Sequence[TracedUse]]
) -> tuple[TracedConfiguration, ...]:
    """Return each accepted value that changes nothing in the example, combined with each value of an option.

    For example, an exponent may matter only in a branch that another option selects. `uses` are the traced
    uses of each method.
    """
    usual = suite.static
    hidden = [
        trial
        for trial in accepted_configurations(suite)
        if not all(usual.get(name) == value for name, value in trial.configuration.inputs.items())
        and _is_hidden(suite, trial, uses)
    ]
    pairs = (
        Configuration(inputs={**option.configuration.inputs, **trial.configuration.inputs})
        for trial in hidden
        for option in _options(suite)
        if option.configuration.inputs.keys().isdisjoint(trial.configuration.inputs)
    )
    return working_configurations(suite, itertools.islice(pairs, MAX_HIDDEN))


def _options(suite: Any) -> Iterator[TracedConfiguration]:
    """Yield the example with one option of its constructor at another value than None."""
    for trial in traced_configurations(suite)[1:]:
        values = trial.configuration.inputs.values()
        if is_built_otherwise(trial) and values and all(value is not None for value in values):
            yield trial


def _is_hidden(suite: Any, trial: TracedConfiguration, uses: Mapping[str, Sequence[TracedUse]]) -> bool:
    """Whether a configuration leaves the traces of the call and of all methods as in the example."""
    if not is_built_otherwise(trial) or _call_text(trial) != _call_text(traced_configurations(suite)[0]):
        return False
    changes = trial.configuration.changes
    texts = [
        {
            program_text(trace.jaxpr)
            for use, trace, _ in of_method
            if trace and (use.is_plain or use.changes == changes)
        }
        for of_method in uses.values()
    ]
    return all(len(of_method) < 2 for of_method in texts)


def _call_text(trial: TracedConfiguration) -> str:
    return program_text(trial.trace[0]) if trial.trace is not None else ""
