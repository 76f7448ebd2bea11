"""Uses of the methods of a suite's class, each traced once for the laws and the record of numbers."""

import itertools
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..session import once_per_session
from .configurations import (
    Configuration,
    TracedConfiguration,
    accepted_configurations,
    traced_configurations,
    working_configurations,
)
from .likely import likely_uses
from .method_programs import usable
from .method_uses import Traced, Use, is_built_otherwise, trace_use, uses_of, uses_of_instances

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
        method.name: (*every[method.name], *_traced(suite, uses_of_instances(suite, method, hidden)))
        for method in usable(suite)
    }


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
            str(trace.jaxpr)
            for use, trace, _ in of_method
            if trace and (use.is_plain or use.changes == changes)
        }
        for of_method in uses.values()
    ]
    return all(len(of_method) < 2 for of_method in texts)


def _call_text(trial: TracedConfiguration) -> str:
    return str(trial.trace[0]) if trial.trace is not None else ""
