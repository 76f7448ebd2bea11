"""The uses of the methods of one suite's class, each traced once for the laws and the record of numbers."""

import warnings
from collections.abc import Iterable
from typing import Any, NamedTuple

from ..declare.methods import Method
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
    uses = {method.name: _traced(suite, method) for method in usable(suite)}
    pairs = {name: [(use.use, use.trace) for use in of_method] for name, of_method in uses.items()}
    hidden = hidden_configurations(suite, pairs)
    return {
        method.name: (*uses[method.name], *_further(suite, method, uses_of_instances(suite, method, hidden)))
        for method in usable(suite)
    }


def _further(suite: Any, method: Method, uses: Iterable[Use]) -> list[TracedUse]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [TracedUse(use, trace_use(suite, use), False) for use in uses]


def _traced(suite: Any, method: Method) -> list[TracedUse]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        uses = [(use, False) for use in uses_of(suite, method)]
        uses += [(use, True) for use in likely_uses(suite, method)]
        return [TracedUse(use, trace_use(suite, use), is_likely) for use, is_likely in uses]
