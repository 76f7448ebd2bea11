"""Values that a constructor accepts, and that show in nothing that the example does: they are tried beside each option.

An exponent may count in one branch alone, which another option chooses.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .configurations import (
    Configuration,
    TracedConfiguration,
    accepted_configurations,
    traced_configurations,
    working_configurations,
)
from .method_uses import Traced, Use, is_built_otherwise

MAX_HIDDEN = 6
"""How many pairs of such a value and an option are tried of a class."""
TracedUses = Mapping[str, Sequence[tuple[Use, Traced | None]]]


def hidden_configurations(suite: Any, uses: TracedUses) -> tuple[TracedConfiguration, ...]:
    """Each value that shows nowhere, together with each value of an option; `uses` are those of the methods."""
    trials = [trial for trial in accepted_configurations(suite) if not _is_usual(suite, trial)]
    hidden = [trial for trial in trials if _is_hidden(suite, trial, uses)]
    pairs = (
        Configuration(inputs={**option.configuration.inputs, **trial.configuration.inputs})
        for trial in hidden
        for option in _options(suite)
        if option.configuration.inputs.keys().isdisjoint(trial.configuration.inputs)
    )
    return working_configurations(suite, itertools.islice(pairs, MAX_HIDDEN))


def _options(suite: Any) -> Iterator[TracedConfiguration]:
    """The example with one option of its constructor at another value that is no None."""
    for trial in traced_configurations(suite)[1:]:
        values = trial.configuration.inputs.values()
        if is_built_otherwise(trial) and values and all(value is not None for value in values):
            yield trial


def _is_usual(suite: Any, trial: TracedConfiguration) -> bool:
    return all(suite.static.get(name) == value for name, value in trial.configuration.inputs.items())


def _is_hidden(suite: Any, trial: TracedConfiguration, uses: TracedUses) -> bool:
    """Whether the call and all methods do with it what they do in the example."""
    if not is_built_otherwise(trial) or _call_text(trial) != _call_text(traced_configurations(suite)[0]):
        return False
    changes = trial.configuration.changes
    texts = [
        {str(trace.jaxpr) for use, trace in of_method if trace and (use.is_plain or use.changes == changes)}
        for of_method in uses.values()
    ]
    return all(len(of_method) < 2 for of_method in texts)


def _call_text(trial: TracedConfiguration) -> str:
    return str(trial.trace[0]) if trial.trace is not None else ""
