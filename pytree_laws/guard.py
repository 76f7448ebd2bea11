"""Runs the tests of a suite so that each failure says which law it is, and each cause is told once."""

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import pytest

from .look.surroundings import FirstUse, first_use
from .report import Fault, broken, doing

Guarded = TypeVar("Guarded", bound=type)


def guarded(test: Callable[..., None]) -> Callable[..., None]:
    """A law whose every failure says which law it is, and what to do."""
    law = f"P{int(test.__name__[6:8])}"

    @functools.wraps(test)
    def run(self: Any, *args: Any, **kwargs: Any) -> None:
        __tracebackhide__ = True
        if any(part in test.__name__ for part in getattr(self, "skips", ())):
            pytest.skip("the class declares that this does not hold for it")
        try:
            under_test = doing(type(self).__name__, "the class under test")
            with one_failure_of_calls(self), under_test:
                suite: Any = type(self)
                stop_if_broken(self, "P1", "build", first_build(suite).error)
                test(self, *args, **kwargs)
        except Fault as fault:
            specimen.cache_clear()  # it may be what is broken
            where, what, hint, *other = fault.args
            failure = broken(self.laws[other[0] if other else law], where, what, hint)
            raise failure.with_traceback(fault.__traceback__) from fault.__cause__

    return run


def guard(suite: Guarded) -> Guarded:
    """Guards every law that a suite defines."""
    for name, test in list(vars(suite).items()):
        if name.startswith("test_"):
            setattr(suite, name, guarded(test))
    return suite


@functools.cache
def first_build(laws: type) -> FirstUse:
    """The constructor on the example inputs: its error stops every law."""
    suite = laws()
    inputs = suite.inputs(0)
    return first_use(lambda: suite.build(**inputs))


@functools.cache
def first_call(laws: type) -> FirstUse:
    """The call on the example arguments: its error stops every law of calls."""
    suite = laws()
    instance, arguments = suite.make(0), suite.arguments(0)
    return first_use(lambda: suite.call(instance, *arguments))


@functools.cache
def specimen(laws: type) -> Any:
    """The instance of the example that laws share which change nothing."""
    return laws().make(0)


@contextlib.contextmanager
def one_failure_of_calls(suite: Any) -> Iterator[None]:
    """Whatever fails as the call on the example does is reported once, as that."""
    __tracebackhide__ = True
    try:
        yield
    except Fault as fault:
        if len(fault.args) > 3:  # it is that report
            raise
        laws: Any = type(suite)
        tried = suite.called() and first_build(laws).error is None
        error = first_call(laws).error if tried else None
        if error is not None and repr(fault.__cause__) == repr(error):
            stop_if_broken(suite, "P7", "call", error)
        raise


_REPORTED: set[tuple[type, str]] = set()


def forget() -> None:
    """Has what was reported once be reported again."""
    _REPORTED.clear()


def stop_if_broken(suite: Any, law: str, what: str, error: Exception | None) -> None:
    """Fails once for a class whose example fails, and skips what depends on it."""
    __tracebackhide__ = True
    if error is None:
        return
    if (type(suite), what) in _REPORTED:
        pytest.skip(f"the example `{what}` fails, as the first failure of {law} says")
    _REPORTED.add((type(suite), what))
    told = f"`{what}` on the example raised {type(error).__name__}: {str(error)[:500]}"
    hint = "the laws that depend on it are skipped until it works"
    raise Fault(what, told, hint, law) from error
