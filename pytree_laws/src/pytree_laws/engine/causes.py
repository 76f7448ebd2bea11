"""Causes of failures, each reported once.

A test that fails as its example does, or because of a broken law, is skipped.
"""

import contextlib
import re
from collections.abc import Generator, Sequence
from typing import Any

import pytest

from ..errors import message_of
from ..inspect.classes import documents_untraced
from ..inspect.raised_at import raised_at
from ..inspect.trees import nodes
from ..report import (
    ADVICE,
    SEVERITIES,
    Fault,
    Finding,
)
from ..session import session_of
from ..trace.jaxprs import NEEDS_VALUES
from .applicability import skip_as_resting_on
from .example_errors import advice_on, is_misfit, law_behind, said_of
from .first_use import cached_instance, called_method, first_build, first_call, first_compiled_call
from .needed_values import severity_of_made

SAME = 60
"""Number of characters by which errors are told apart."""
UNCOMPARABLE = "Exception raised while checking equality of metadata fields"
"""Message of jax if `==` of two static values raises. From 0.12 on, it is part of another error."""
OF_METHODS = "test_p07_methods_give_what_is_declared"
"""Test of the results of methods on their examples."""
DECLARATION = (
    "test_p02_leaves_are_",
    "test_p02_the_state_is_",
    "test_p02_variables_are_",
    "test_p05_static_values_are_",
    "test_p07_outputs_are_",
)
"""Prefixes of the tests that compare a class with the declarations of its suite."""
_METHODS = {"build": "__init__", "call": "__call__", "compiled call": "__call__"}
"""Method that an example serves, by operation."""


def skip_what_rests_on_a_broken_law(
    suite: Any, number: str, finding: Finding, rests_on: Sequence[str] = ()
) -> None:
    """Skip a failure that follows from an earlier finding which is at least as severe.

    The earlier finding is of a law or a test on which this test rests. Advice breaks no law, so it stops only
    tests that rest on the very test that gave it.
    """
    session = session_of(suite)
    if session.reports_all:
        return
    law = suite.laws_by_number[number]
    of_test, there = tuple(rests_on), tuple(law.rests_there_on)
    if finding.test.startswith(DECLARATION):  # the first failure prints all that is right
        of_test += DECLARATION
    checks = {test: check for check, test in suite.renamed_tests.items()}
    for broken, base_finding in session.results(suite).findings.items():
        bases = of_test if base_finding.severity == ADVICE else (*of_test, *law.rests_on)
        bases += there if base_finding.where == finding.where else ()
        is_base = broken.startswith(bases) or checks.get(broken, "").startswith(bases)
        if is_base and broken != finding.test and not is_below(base_finding.severity, finding.severity):
            skip_as_resting_on(base_finding.law.number)


def skip_what_a_part_tells(suite: Any, finding: Finding) -> None:
    """Skip a failure that the suite of a part's class reports too, of the same line and as severe."""
    session = session_of(suite)
    if not finding.line or session.reports_all or first_build(suite).error:
        return
    instance = cached_instance(suite)
    session.results(suite).cls = type(instance)
    parts = {type(node) for _, node, _ in nodes(instance)} - {type(instance)}
    for results in session.all_results():
        part, told = results.cls, results.findings.get(finding.test)
        if part is None or part not in parts or told is None or told.line != finding.line:
            continue
        if not is_below(told.severity, finding.severity):
            skip_as_resting_on(f"{finding.law.number} of `{part.__name__}`")


def is_below(severity: str, least: str) -> bool:
    """Whether a severity is less than the least severity that fails a test."""
    return SEVERITIES.index(severity) > SEVERITIES.index(least)


@contextlib.contextmanager
def one_failure_of_calls(suite: Any) -> Generator[None, None, None]:
    """Report a failure that repeats the failure of the example call once, as that failure."""
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
    """Whether two errors have the same repr, or come from the same line of the class.

    For a tracer, an operation raises another message.
    """
    raised = raised_at(error)
    return repr(error) == repr(other) or bool(raised and raised == raised_at(other))


def are_alike(error: BaseException | None, other: BaseException | None) -> bool:
    """Whether two errors begin with the same words, apart from numbers."""
    texts = [re.sub(r"[0-9]+", "", str(exception))[:SAME] for exception in (error, other)]
    return error is not None and type(error) is type(other) and texts[0] == texts[1]


@contextlib.contextmanager
def one_failure_of_treedefs(suite: Any, number: str) -> Generator[None, None, None]:
    """Report a failure to compare two treedefs as a finding of P5."""
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


def stop_if_broken(suite: Any, law: str, operation: str, error: Exception | None) -> None:
    """Fail the first test of a class whose example fails, and skip the other tests that need the example."""
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
    severity = severity_under_jit(suite, error) if operation == "compiled call" else ""
    law = law_behind(error, law)
    raise Fault(operation, message, advice_on(suite, error), law=law, severity=severity) from error


def severity_under_jit(suite: Any, error: Exception) -> str:
    """Return the severity of an error of the compiled call, or an empty text for that of the law.

    A call for the host is meant not to be compiled. A call that makes another class is judged as the
    constructor of that class is.
    """
    instance, arguments = cached_instance(suite), suite.arguments(0)
    method = getattr(type(instance), called_method(suite) or "__call__", None)
    is_of_host = first_call(suite).gives_host_values and isinstance(error, NEEDS_VALUES)
    if is_of_host or documents_untraced(method):
        return ADVICE
    return severity_of_made(error, (instance, arguments), lambda: suite.call(instance, *arguments))
