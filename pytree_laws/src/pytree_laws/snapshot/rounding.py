"""How much a record's numbers depend on rounding, which differs with the formula, the device and the version of jax."""

from typing import Any

import jax

from ..session import once_per_session
from ..values.edge_values import rounded

PATTERNS = range(2)
"""In one alone, what is moved may cancel."""


@once_per_session
def with_rounded_example(suite: Any, pattern: int) -> Any:
    """The suite, of which each number that goes into a program differs by about its last bit."""
    laws: Any = type(suite)

    def arguments(self: Any, seed: int) -> Any:
        with jax.ensure_compile_time_eval():  # a first call is made inside of a trace
            return rounded(laws.arguments(self, seed), pattern, by=2)

    def cached_instance(self: Any, seed: int = 0) -> Any:
        return _of_instance(self, laws.cached_instance(self, seed), pattern)

    def elsewhere(self: Any, instance: Any) -> Any:
        return _of_instance(self, laws.elsewhere(self, instance), pattern)

    changed: dict[str, Any] = {"cached_instance": cached_instance, "elsewhere": elsewhere}
    changed |= {"arguments": arguments} if suite.called() else {}  # by which a class is called
    return type(laws.__name__, (laws,), {"__module__": laws.__module__, "__doc__": laws.__doc__, **changed})()


def _of_instance(suite: Any, instance: Any, pattern: int) -> Any:
    value, back = suite.to_arrays(instance)
    return back(rounded(value, pattern))
