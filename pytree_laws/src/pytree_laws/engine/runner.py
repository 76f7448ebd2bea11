"""Runs the tests of a suite so that each failure names its law, and each cause is reported once."""

import contextlib
import functools
import re
import warnings
from collections.abc import Callable, Generator, Sequence
from typing import Any

import pytest

from ..errors import message_of
from ..inspect.call_recorder import Invocation, record_call, record_mapped_call
from ..inspect.classes import documents_untraced
from ..inspect.global_state import FirstUse, first_use
from ..inspect.raised_at import BASES, raised_at
from ..report import (
    ADVICE,
    COST,
    FAULT,
    SEVERITIES,
    Fault,
    Finding,
    LawBroken,
    LawWarning,
    result_or_error,
    under_test,
)
from ..session import once_per_session, session_of
from ..trace.jaxprs import NEEDS_VALUES
from ..values.closeness import UNSETTLED, Tolerance, tolerating
from ..values.dtypes import tolerated
from .applicability import require_conditions, skip_as_resting_on
from .example_errors import advice_on, is_misfit, law_behind, said_of
from .expected import expected_failure, held_as_declared
from .timeout import TooLong, Watch, time_limit

SAME = 60
"""As many characters tell one error from another."""
UNCOMPARABLE = "Exception raised while checking equality of metadata fields"
"""What jax says where == of two static values raises; from 0.12 on below another error."""
BESIDE = "what the library does there with the class, of which no line raised it: what it holds then, or a mistake of the library"
OF_METHODS = "test_p07_methods_give_what_is_declared"
"""The test of what methods give on their examples."""
DECLARATION = (
    "test_p02_leaves_are_",
    "test_p02_the_state_is_",
    "test_p02_variables_are_",
    "test_p05_static_values_are_",
    "test_p07_outputs_are_",
)
"""How the tests begin that hold a class to what the suite declares of it."""


def guarded(test: Callable[..., None], number: str) -> Callable[..., None]:
    """A law whose every failure says which law it is, and what to do."""
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
    """A test of no numbered law, which a suite may declare not to hold like any other."""

    @functools.wraps(test)
    def run(self: Any, *args: Any, **kwargs: Any) -> None:
        __tracebackhide__ = True
        with held_as_declared(self, test.__name__, is_alone=not kwargs):
            test(self, *args, **kwargs)

    return run


def told_as_finding(test: Callable[..., None], number: str) -> Callable[..., None]:
    """A law of a class without instances, whose every failure says which law it is."""

    @functools.wraps(test)
    def run(self: Any, **kwargs: Any) -> None:
        __tracebackhide__ = True
        with told_as(self, number, test.__name__), under_test(self.cls.__name__):
            test(self, **kwargs)

    return run


@contextlib.contextmanager
def told_as(suite: Any, number: str, test: str) -> Generator[None]:
    """Makes a finding of a fault, of a test that the suite may declare not to hold."""
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
    """A fault that a test raised, with the law that speaks and how much it matters."""
    hint, raised = fault.hint, raised_at(fault.__cause__)
    if fault.where == type(suite).__name__ and not hint:
        hint = advice_on(suite, fault.__cause__, BESIDE if raised.startswith(BASES) else "")
    law = suite.laws_by_number[fault.law or number]
    of_check = "" if fault.law else getattr(test, "severity", "")
    severity = fault.severity or of_check or law.severity
    method = called_method(suite) if fault.where.startswith("call") else ""
    return Finding(law, test.__name__, fault.where, fault.what, hint, severity, raised, method)


@once_per_session
def example_call(suite: Any) -> Invocation | None:
    """The method that the example calls, with what it is given."""
    return recorded_call(suite) if suite.called() and first_call(suite).error is None else None


def recorded_call(suite: Any) -> Invocation | None:
    """The method that the call of a suite calls, as often as it is asked for."""
    instance, arguments = suite.make(0), suite.arguments(0)
    with warnings.catch_warnings(action="ignore"):
        recorded = record_call(instance, lambda: suite.call(instance, *arguments))
        return recorded or record_mapped_call(instance, suite.call, arguments)


def called_method(suite: Any) -> str:
    """The method that the example calls; empty where it is `__call__`, or does not work."""
    invocation = example_call(suite)
    return "" if invocation is None or invocation.name == "__call__" else invocation.name


def run_test(suite: Any, number: str, test: Callable[..., None], *args: Any, **kwargs: Any) -> None:
    """Runs a test that applies; whatever the class raises is a finding, and so is a call without end."""
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
    """The tolerance that a suite declares, itself or by the narrowest dtype; or that it is not known before the call."""
    if suite.tolerance is None:
        return UNSETTLED if suite.narrowest is None else tolerated(suite)
    return suite.tolerance


def record_finding(suite: Any, finding: Finding, error: BaseException | None) -> None:
    """Notes a finding; an error that was told already is not told again."""
    results = session_of(suite).results(suite)
    if error is not None and not session_of(suite).reports_all:
        # Without numbers, which differ from trace to trace, and without where a trace began.
        text = f"{type(error).__name__}: {re.sub(r'[0-9]+', '', message_of(error))[:200]}"
        law, test = results.errors.setdefault(text, (finding.law.number, finding.test))
        if test != finding.test:
            pytest.skip(f"the error is the one that {law} tells")
    results.findings[finding.test] = finding


def is_below(severity: str, least: str) -> bool:
    """Whether a finding is less severe than what fails a test."""
    return SEVERITIES.index(severity) > SEVERITIES.index(least)


def skip_what_rests_on_a_broken_law(
    suite: Any, number: str, finding: Finding, rests_on: Sequence[str] = ()
) -> None:
    """Skips in one line a failure that follows from one at least as severe, of a law or a test that it rests on."""
    session = session_of(suite)
    if session.reports_all:
        return
    law = suite.laws_by_number[number]
    causes, there = (*law.rests_on, *rests_on), tuple(law.rests_there_on)
    if finding.test.startswith(DECLARATION):  # the first failure prints all that is right
        causes += DECLARATION
    checks = {test: check for check, test in suite.renamed_tests.items()}
    for broken, base_finding in session.results(suite).findings.items():
        bases = causes + there if base_finding.where == finding.where else causes
        is_base = broken.startswith(bases) or checks.get(broken, "").startswith(bases)
        if is_base and broken != finding.test and not is_below(base_finding.severity, finding.severity):
            skip_as_resting_on(base_finding.law.number)


@contextlib.contextmanager
def stopping_endless_examples(suite: Any, operation: str) -> Generator[None]:
    """Has an example that does not end be tried once, and not in each law anew."""
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
    """The constructor on the example inputs: its error stops every law."""
    with stopping_endless_examples(suite, "build"):
        inputs = result_or_error(suite.inputs, 0)
        if isinstance(inputs, Exception):
            return first_use(lambda: suite.build(**suite.inputs(0)))
        return first_use(lambda: suite.build(**inputs))


@once_per_session
def first_call(suite: Any) -> FirstUse:
    """The call on the example arguments: its error stops every law of calls."""
    with stopping_endless_examples(suite, "call"):
        instance, arguments = suite.make(0), suite.arguments(0)
        return first_use(lambda: suite.call(instance, *arguments))


@once_per_session
def first_compiled_call(suite: Any) -> Exception | None:
    """What keeps the call from being compiled, as a question for the values of arrays."""
    if first_call(suite).error is not None:
        return None
    compiled = suite.compiled_ways()[0]
    outcome = result_or_error(compiled.shapes, cached_instance(suite), *suite.arguments(0))
    return outcome if isinstance(outcome, Exception) else None


def are_alike(error: BaseException | None, other: BaseException | None) -> bool:
    """Whether two errors begin with the same words, whatever their tracers and numbers are."""
    texts = [re.sub(r"[0-9]+", "", str(exception))[:SAME] for exception in (error, other)]
    return error is not None and type(error) is type(other) and texts[0] == texts[1]


@once_per_session
def cached_instance(suite: Any, seed: int = 0) -> Any:
    """The instance of an example that laws share which change nothing."""
    return suite.make(seed)


@contextlib.contextmanager
def one_failure_of_calls(suite: Any) -> Generator[None, None, None]:
    """Whatever fails as the call on the example does is reported once, as that."""
    __tracebackhide__ = True
    try:
        yield
    except Fault as fault:
        if fault.law:  # it is that report
            raise
        tried = suite.called() and first_build(suite).error is None
        error = first_call(suite).error if tried else None
        if error is not None and is_one_failure(fault.__cause__, error):
            stop_if_broken(suite, "P7", "call", error)
        error = first_compiled_call(suite) if tried and fault.__cause__ else None
        if are_alike(fault.__cause__, error) and not session_of(suite).reports_all:
            stop_if_broken(suite, "P7", "compiled call", error)
        raise


def is_one_failure(error: BaseException | None, other: Exception) -> bool:
    """Whether two errors say the same, or come of the same line of the class: of a tracer an operation says something else."""
    raised = raised_at(error)
    return repr(error) == repr(other) or bool(raised and raised == raised_at(other))


@contextlib.contextmanager
def one_failure_of_treedefs(suite: Any, number: str) -> Generator[None, None, None]:
    """Whatever fails since two treedefs cannot be compared is told by P5, as that."""
    __tracebackhide__ = True
    try:
        yield
    except Fault as fault:
        if UNCOMPARABLE not in str(fault.__cause__):
            raise
        if number != "P5" and not session_of(suite).reports_all:
            skip_as_resting_on("P5")
        message = (
            f"two of its treedefs cannot be compared, as jax does wherever two trees meet: {fault.__cause__}"
        )
        hint = "an array, or an object that holds one, among the static values"
        raise Fault(type(suite).__name__, message, hint) from fault.__cause__


_METHODS = {"build": "__init__", "call": "__call__", "compiled call": "__call__"}
"""By operation, the method that an example is for."""


def stop_if_broken(suite: Any, law: str, operation: str, error: Exception | None) -> None:
    """Fails once for a class whose example fails, and skips what depends on it."""
    __tracebackhide__ = True
    if error is None:
        return
    if is_misfit(suite, _METHODS[operation], error):
        pytest.skip(said_of(_METHODS[operation], error))
    reported = session_of(suite).results(suite).reported
    findings = session_of(suite).results(suite).findings
    if operation != "build" and OF_METHODS in findings and not session_of(suite).reports_all:
        skip_as_resting_on("P7")  # which the call may use
    if operation in reported:
        pytest.skip(f"the example `{operation}` fails, as the first failure of {law} says")
    reported.add(operation)
    message = f"`{operation}` on the example raised {type(error).__name__}: {message_of(error)[:500]}"
    is_compiled = operation == "compiled call"
    is_meant = is_compiled and first_call(suite).gives_host_values and isinstance(error, NEEDS_VALUES)
    if is_compiled and not is_meant:
        cls = type(cached_instance(suite))
        is_meant = documents_untraced(getattr(cls, called_method(suite) or "__call__", None))
    severity = ADVICE if is_meant else ""
    law = law_behind(error, law)
    raise Fault(operation, message, advice_on(suite, error), law=law, severity=severity) from error
