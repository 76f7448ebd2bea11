"""Runner of tests, in which each failure names its law and each cause is reported once."""

import contextlib
import functools
import re
import warnings
from collections.abc import Callable, Generator
from typing import Any

import pytest

from ..errors import message_of
from ..inspect.raised_at import BASES, raised_at
from ..report import (
    COST,
    FAULT,
    Fault,
    Finding,
    LawBroken,
    LawWarning,
    under_test,
)
from ..session import session_of
from ..values.closeness import UNSETTLED, Tolerance, tolerating
from ..values.dtypes import tolerated
from .applicability import require_conditions
from .causes import (
    is_below,
    one_failure_of_calls,
    one_failure_of_treedefs,
    skip_what_a_part_tells,
    skip_what_rests_on_a_broken_law,
    stop_if_broken,
)
from .example_errors import advice_on
from .expected import expected_failure, held_as_declared
from .first_use import called_method, first_build
from .timeout import TooLong, Watch, time_limit

BESIDE = "what the library does there with the class, of which no line raised it: what it holds then, or a mistake of the library"


def guarded(test: Callable[..., None], number: str) -> Callable[..., None]:
    """Wrap a law so that every failure becomes a finding with the law and a hint."""
    name = test.__name__

    @functools.wraps(test)
    def run(self: Any, *args: Any, **kwargs: Any) -> None:
        __tracebackhide__ = True
        expected = expected_failure(name, getattr(self, "skips", ()))
        try:
            run_test(self, number, test, *args, **kwargs)
        except Fault as fault:
            session_of(self).forget(self, "cached_instance")  # it may be what is broken
            if expected is not None:
                expected.skip()
            if isinstance(fault.__cause__, MemoryError) or "RESOURCE_EXHAUSTED" in str(fault.__cause__):
                pytest.skip(f"it takes more memory than there is: {message_of(fault.__cause__):.80}")
            finding = finding_of(self, fault, number, test)
            skip_what_rests_on_a_broken_law(self, number, finding, getattr(test, "rests_on", ()))
            record_finding(self, finding, fault.__cause__)
            skip_what_a_part_tells(self, finding)
            is_unpromised = self.one_dtype and getattr(test, "of_dtypes", False)
            least = self.raises_from or (COST if is_unpromised else self.severity)
            if is_below(finding.severity, least):
                warnings.warn(LawWarning(finding.brief()), stacklevel=2)
                return
            raise LawBroken(finding).with_traceback(fault.__traceback__) from fault.__cause__
        if expected is not None and not kwargs:  # one of several may hold
            expected.fail_as_mended(type(self).__name__)

    return run


def skippable(test: Callable[..., None]) -> Callable[..., None]:
    """Wrap a test without a numbered law, so that `skips` of a suite applies to it."""

    @functools.wraps(test)
    def run(self: Any, *args: Any, **kwargs: Any) -> None:
        __tracebackhide__ = True
        with held_as_declared(self, test.__name__, is_alone=not kwargs):
            test(self, *args, **kwargs)

    return run


def told_as_finding(test: Callable[..., None], number: str) -> Callable[..., None]:
    """Wrap a law of a class without instances, so that every failure becomes a finding."""

    @functools.wraps(test)
    def run(self: Any, **kwargs: Any) -> None:
        __tracebackhide__ = True
        with told_as(self, number, test.__name__), under_test(self.cls.__name__):
            test(self, **kwargs)

    return run


@contextlib.contextmanager
def told_as(suite: Any, number: str, test: str) -> Generator[None]:
    """Turn a Fault into a finding of a test, which the suite may list in `skips`."""
    __tracebackhide__ = True
    law = suite.laws_by_number[number]
    with held_as_declared(suite, test):
        try:
            yield
        except Fault as fault:
            severity, raised = fault.severity or law.severity, raised_at(fault.__cause__)
            finding = Finding(law, test, fault.where, fault.what, fault.hint, severity, raised)
            raise LawBroken(finding).with_traceback(fault.__traceback__) from fault.__cause__


def finding_of(suite: Any, fault: Fault, number: str, test: Callable[..., None]) -> Finding:
    """Return the finding for a Fault of a test, with its law and severity."""
    hint, raised = fault.hint, raised_at(fault.__cause__)
    if fault.where == type(suite).__name__ and not hint:
        hint = advice_on(suite, fault.__cause__, BESIDE if raised.startswith(BASES) else "")
    law = suite.laws_by_number[fault.law or number]
    of_check = "" if fault.law else getattr(test, "severity", "")
    severity = fault.severity or of_check or law.severity
    method = called_method(suite) if fault.where.startswith("call") else ""
    texts = fault.where, fault.what, hint, severity, raised, method, fault.made_at
    return Finding(law, test.__name__, *texts)


def run_test(suite: Any, number: str, test: Callable[..., None], *args: Any, **kwargs: Any) -> None:
    """Run a test that applies.

    An error that the class raises is a Fault, and so is a call that does not end.
    """
    __tracebackhide__ = True
    name, took = type(suite).__name__, f"took more than {suite.time_limit:.0f} seconds"
    watch = session_of(suite).of(Watch)
    watch.findings = lambda: [
        f"{finding.severity} {finding.law.number} {finding.law.name}, at {finding.where}: "
        + finding.what.partition("\n")[0]
        for finding in session_of(suite).results(suite).findings.values()
    ]
    try:
        with (
            one_failure_of_treedefs(suite, number),
            one_failure_of_calls(suite),
            under_test(name),
            tolerating(declared_by(suite)),
            time_limit(suite.time_limit, f"{number} of {name} {took}", watch),
        ):
            stop_if_broken(suite, "P1", "build", first_build(suite).error)
            require_conditions(suite, test)
            test(suite, *args, **kwargs)
    except TooLong as error:
        hint = "a loop that does not end for these values; `time_limit` allows more"
        severity = FAULT if error.is_of_example else COST  # a law runs what it holds many times
        raise Fault(name, f"it {took}", hint, severity=severity) from error


def declared_by(suite: Any) -> Tolerance:
    """Return the tolerance that a suite declares, directly or by its narrowest dtype, or `UNSETTLED`."""
    if suite.tolerance is None:
        return UNSETTLED if suite.narrowest is None else tolerated(suite)
    return suite.tolerance


def record_finding(suite: Any, finding: Finding, error: BaseException | None) -> None:
    """Record a finding, or skip the test if another test has reported the same error."""
    results = session_of(suite).results(suite)
    if error is not None and not session_of(suite).reports_all:
        # Without numbers, which differ from trace to trace, and without where a trace began.
        text = f"{type(error).__name__}: {re.sub(r'[0-9]+', '', message_of(error))[:200]}"
        law, test = results.errors.setdefault(text, (finding.law.number, finding.test))
        if test != finding.test:
            pytest.skip(f"the error is the one that {law} tells")
    results.findings[finding.test] = finding
