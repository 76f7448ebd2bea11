"""Examples of a suite, each tried once for all laws."""

import contextlib
import warnings
from collections.abc import Generator
from typing import Any

import pytest

from ..inspect.call_recorder import Invocation, record_call, record_mapped_call
from ..inspect.global_state import FirstUse, first_use
from ..report import (
    result_or_error,
)
from ..session import once_per_session, session_of
from .timeout import TooLong


@contextlib.contextmanager
def stopping_endless_examples(suite: Any, operation: str) -> Generator[None]:
    """Try an example that does not end once, and skip later tests that use it."""
    endless = session_of(suite).results(suite).endless
    if operation in endless:
        pytest.skip(f"the example `{operation}` does not end, as an earlier failure says")
    try:
        yield
    except TooLong as error:
        error.is_of_example = True
        endless.add(operation)
        raise


@once_per_session
def first_build(suite: Any) -> FirstUse:
    """Build the example. An error stops every law."""
    with stopping_endless_examples(suite, "build"):
        inputs = result_or_error(suite.inputs, 0)
        if isinstance(inputs, Exception):
            return first_use(lambda: suite.build(**suite.inputs(0)))
        return first_use(lambda: suite.build(**inputs))


@once_per_session
def first_call(suite: Any) -> FirstUse:
    """Call the example. An error stops every law of calls."""
    with stopping_endless_examples(suite, "call"):
        instance, arguments = suite.make(0), suite.arguments(0)
        return first_use(lambda: suite.call(instance, *arguments))


@once_per_session
def first_compiled_call(suite: Any) -> Exception | None:
    """Return the error that keeps the call from compilation, such as a branch on traced values, or None."""
    if first_call(suite).error is not None:
        return None
    compiled = suite.compiled_ways()[0]
    outcome = result_or_error(compiled.shapes, cached_instance(suite), *suite.arguments(0))
    return outcome if isinstance(outcome, Exception) else None


@once_per_session
def cached_instance(suite: Any, seed: int = 0) -> Any:
    """Return the instance of an example that all laws share which do not change it."""
    return suite.make(seed)


@once_per_session
def example_call(suite: Any) -> Invocation | None:
    """Return the invocation of the method that the example calls, or None if the call does not work."""
    return recorded_call(suite) if suite.called() and first_call(suite).error is None else None


def recorded_call(suite: Any) -> Invocation | None:
    """Record the method that the call of a suite calls, without a cache."""
    instance, arguments = suite.make(0), suite.arguments(0)
    with warnings.catch_warnings(action="ignore"):
        recorded = record_call(instance, lambda: suite.call(instance, *arguments))
        return recorded or record_mapped_call(instance, suite.call, arguments)


def called_method(suite: Any) -> str:
    """Return the name of the method that the example calls, or empty for `__call__` or a call that fails."""
    invocation = example_call(suite)
    return "" if invocation is None or invocation.name == "__call__" else invocation.name
