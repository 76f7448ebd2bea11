"""The uses of the methods of one suite's class, each traced once for the laws and the record of numbers."""

import warnings
from collections.abc import Iterable
from typing import Any, NamedTuple

from ..session import once_per_session
from .hidden_values import hidden_configurations
from .likely import likely_uses
from .method_programs import usable
from .method_uses import Traced, Use, trace_use, uses_of, uses_of_instances


class TracedUse(NamedTuple):
    """A use of a method, and its trace: None where it has none."""

    use: Use
    trace: Traced | None
    is_likely: bool
    """Whether nothing says that the method takes the value of an option."""


@once_per_session
def traced_uses(suite: Any) -> dict[str, tuple[TracedUse, ...]]:
    """By method its uses, that of the example first."""
    every = {
        method.name: [
            *_traced(suite, uses_of(suite, method)),
            *_traced(suite, likely_uses(suite, method), is_likely=True),
        ]
        for method in usable(suite)
    }
    hidden = hidden_configurations(suite, {name: [use[:2] for use in uses] for name, uses in every.items()})
    return {
        method.name: (*every[method.name], *_traced(suite, uses_of_instances(suite, method, hidden)))
        for method in usable(suite)
    }


def _traced(suite: Any, uses: Iterable[Use], *, is_likely: bool = False) -> list[TracedUse]:
    with warnings.catch_warnings(action="ignore"):
        return [TracedUse(use, trace_use(suite, use), is_likely) for use in [*uses]]
