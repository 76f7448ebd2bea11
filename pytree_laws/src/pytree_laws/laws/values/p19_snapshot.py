"""P19: the call computes what was last approved."""

import contextlib
import os
import sys
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from typing import Any

import pytest

from ...discover.method_programs import usable
from ...discover.method_uses import traced_or_raise
from ...discover.traced_uses import traced_uses
from ...engine.applicability import skip_as_resting_on
from ...engine.registry import Checks
from ...errors import error_text
from ...kinds.suite import Suite
from ...report import FAULT, Fault, Finding, check, result_or_error
from ...session import Session
from ...snapshot.configurations import ACCEPTED, AFTER, CONFIGURED, of_accepted, of_configurations, of_options
from ...snapshot.example import EXAMPLE, changed_example, is_of, of_changed_example, of_example
from ...snapshot.files import change, file_of, record_of, tests_of
from ...snapshot.format import (
    GONE,
    NOT_RECORDED,
    Entry,
    NoRecord,
    Record,
    differences,
    entries,
    kept_where_close,
    parse_record,
    render_record,
    section_of,
    settings_of,
    usual_settings,
    without,
)
from ...snapshot.methods import OF_METHODS, OF_SLOPES, OPTIONS, of_methods, slopes_of_methods
from ...snapshot.mode import (
    RECORD,
    RECORDED,
    UPDATE,
    command,
    has_record,
    how_to_add,
    how_to_approve,
    how_to_replace,
    mode_of,
)
from ...snapshot.numbers import (
    OTHERWISE,
    PATTERNS,
    SECTIONS,
    section_numbers,
    with_other_arguments,
    with_rounded_example,
)
from ...snapshot.reached import REACHED, of_reached
from ...snapshot.sequences import OVER_STEPS, of_sequences
from ..sharding.p20_sharding import ALONE, of_dims

CHECKS = Checks()

FURTHER: Mapping[str, Callable[[Any], dict[str, Entry]]] = {
    CONFIGURED: of_configurations,
    ACCEPTED: of_accepted,
    OF_METHODS: of_methods,
    OF_SLOPES: slopes_of_methods,
    OTHERWISE: with_other_arguments,
    OPTIONS: of_options,
    OVER_STEPS: of_sequences,
    REACHED: of_reached,
}
EVERY = (*SECTIONS, *FURTHER)
SHOWN = 8  # numbers that differ


@CHECKS.register(RECORDED)
def test_p19_numbers_are_those_of_the_record(subject: Suite, session: Session) -> None:
    mode, is_recorded = mode_of(subject, tests_of(subject)), has_record(subject)
    faults = [f for f in session.results(subject).findings.values() if f.severity == FAULT]
    broken = broken_methods(subject, faults)
    others = [finding for finding in faults if not is_of(finding.where, broken)]
    with resting_on(others if not session.reports_all else ()):  # whatever is wrong moves numbers
        if mode == RECORD and not is_recorded:
            check(not others, "numbers", "none are recorded while a law finds a fault")
        if mode == UPDATE or (mode == RECORD and not is_recorded):
            subject.summary_line = write(subject, broken if mode == RECORD else ())
            return
        check(is_recorded, "numbers", "no numbers of the suite are recorded", how_to_record(subject))
        compare(subject, mode, others, broken)


def compare(subject: Suite, mode: str, faults: Sequence[Finding], broken: Collection[str]) -> None:
    """Compare what a suite computes with its record, and in the default mode record what is new.

    Numbers of another example than the recorded one are new.
    """
    text = subject.recorded() or ""
    record = read(subject, text)
    lines = changed_lines(subject, record, settings_of(text), broken)
    changed = changed_example(subject, record) if lines or mode == RECORD else set[str]()
    moved = of_changed_example(subject, changed, lines)
    rest = [line for line in lines if line not in moved]
    if mode == RECORD and (lines or changed) and all(map(_is_new, rest)):
        check(not faults, "numbers", "no new ones are recorded while a law finds a fault")
        why = ", whose example changed," if moved or not lines else ""
        subject.summary_line = write(subject, broken, f"{len(lines) or 'the'} new", why)
        return
    check_unchanged(subject, rest or lines, is_of_example=not rest)


def broken_methods(subject: Suite, faults: Iterable[Finding]) -> tuple[str, ...]:
    """Return the methods in which a law found a fault.

    The numbers of other methods are still checked and recorded.
    """
    names = [method.name for method in usable(subject)] if faults else []
    return tuple(name for name in names if any(is_of(finding.where, [name]) for finding in faults))


@contextlib.contextmanager
def resting_on(findings: Iterable[Finding]) -> Generator[None]:
    """Skip a failure that follows from findings of other laws."""
    try:
        yield
    except Fault:
        if (first := next(iter(findings), None)) is not None:
            skip_as_resting_on(first.law.number)
        raise


def changed_lines(
    subject: Suite, record: Record, settings: str | None, broken: Collection[str] = ()
) -> list[str]:
    """List the differences of the suite from a record, without entries of `broken` methods.

    A record that was written with other settings than those of this run is skipped.
    """
    if settings not in (usual_settings(), None):
        pytest.skip(f"the numbers are recorded with {settings}, this run has {usual_settings()}")
    lines = [line for section in EVERY for line in changed_numbers(subject, record, section)]
    lines = [line for line in lines if not is_of(line, broken)]
    return sorted(
        lines, key=lambda line: line.startswith("gradient of ")
    )  # they follow from what is computed


def _is_new(line: str) -> bool:
    return f": {NOT_RECORDED} (" in line


def check_unchanged(subject: Suite, lines: Sequence[str], *, is_of_example: bool = False) -> None:
    """Check that nothing differs from the record, of the example that is recorded or of another."""
    is_new, is_gone = all(map(_is_new, lines)), all(f": {GONE} (" in line for line in lines)
    message = "it computes what is not recorded yet" if is_new else "it does not compute what is recorded"
    message += ", which raises now, or is there no more" * is_gone
    hint = how_to_add(subject) if is_new else how_to_approve(subject)
    if is_of_example:
        message, hint = "the example has changed since its numbers were recorded", how_to_replace(subject)
    shown = [line + _raised_now(subject, line) for line in lines[:SHOWN]]
    shown += ["and more"] * (len(lines) > SHOWN)
    where = lines[0].partition(":")[0] if lines else ""
    check(not lines, where, "\n    ".join([message, *shown]), hint)


def _raised_now(subject: Suite, line: str) -> str:
    """Return the error of the use of a method whose recorded numbers are gone, or an empty text."""
    uses = (each for of_method in traced_uses(subject).values() for each in of_method)
    raised = [use for use, trace, _ in uses if trace is None] if f": {GONE} (" in line else []
    for use in sorted(raised, key=lambda use: len(use.name), reverse=True):
        error = result_or_error(traced_or_raise, subject, use) if line.startswith(use.name) else None
        if isinstance(error, Exception):
            return f": it raises {error_text(error)}"
    return ""


def changed_numbers(subject: Suite, record: Record, kind: str) -> list[str]:
    """List the differences from a section of the record, one a line."""
    section = section_of(type(subject), kind)
    if kind in FURTHER and section not in record:
        return []  # it has none, or was recorded before there were such
    was, now = record.get(section, {}), entries_of(subject, kind)
    if kind == CONFIGURED and not any(name.startswith(AFTER) for name in was):
        # It was recorded before there were such.
        now = {n: entry for n, entry in now.items() if not n.startswith(AFTER)}
    pairs = list(differences(was, now, subject.tolerance))
    if pairs:  # or another formula for the same may round what is sensitive to it
        moved = [entries_of(with_rounded_example(subject, pattern), kind) for pattern in PATTERNS]
        pairs = list(differences(was, now, subject.tolerance, moved))
    return [f"{name}: {difference} ({kind})" for name, difference in pairs]


def read(subject: Suite, text: str) -> Record:
    try:
        return parse_record(text)
    except NoRecord as error:
        file = record_of(subject)
        raise Fault(str(file and file.name), str(error), how_to_approve(subject)) from error


def how_to_record(subject: Suite) -> str:
    file = record_of(subject)
    name = os.path.relpath(file) if file else ""
    return f"run `{command(subject, RECORD)}`, look at {name}, and commit it"


def sections(suite: Any) -> Record:
    """Return what a suite computes now, in the form of a record."""
    by_section = {section_of(type(suite), section): entries_of(suite, section) for section in EVERY}
    needed = {section_of(type(suite), section) for section in SECTIONS}
    by_section[section_of(type(suite), ALONE)] = of_dims(suite)  # which P20 holds
    by_section[section_of(type(suite), EXAMPLE)] = of_example(suite)
    return {name: numbers for name, numbers in by_section.items() if numbers or name in needed}


def record_text(suites: Sequence[Any], tests: str) -> str:
    """Return the text of a new record for the suites of a test file."""
    by_section = {name: section for suite in suites for name, section in sections(suite).items()}
    return render_record(dict(sorted(by_section.items())), tests)


def entries_of(suite: Any, section: str) -> dict[str, Entry]:
    """Return what a suite computes now in one section."""
    if section in FURTHER:
        return FURTHER[section](suite) if suite.tries_configurations else {}
    return entries(section_numbers(suite, section))


def write(suite: Any, broken: Collection[str] = (), count: str = "", why: str = "") -> str:
    """Record what a suite computes, without `broken` methods, and return a line on that.

    A number close to the recorded one keeps its text, and so does each number of a `broken` method.
    """
    laws: Any = type(suite)
    tests = tests_of(suite)
    if tests is None:
        pytest.skip("the suite is in no file")
    file = file_of(tests)
    now = {
        section: {name: entry for name, entry in recorded.items() if not is_of(name, broken)}
        for section, recorded in sections(suite).items()
    }
    try:
        change(file, lambda text: _changed(text, now, suite, tests.name, broken))
    except PermissionError as error:
        pytest.skip(f"the numbers cannot be recorded: {error}")
    count = count or str(sum(map(len, now.values())))
    name = laws.__name__.removeprefix("Test")
    return f"recorded {count} numbers of {name}{why} in {os.path.relpath(file)}; commit this file"


def _changed(text: str | None, now: Record, suite: Any, tests: str, broken: Collection[str]) -> str:
    """Return the text of a record with one suite's new sections, and without suites that are gone."""
    laws: Any = type(suite)
    before = parse_record(text) if text else {}
    module = vars(sys.modules[laws.__module__])
    before = without(before, {s.partition(":")[0] for s in before} - module.keys())
    for section, entries_now in now.items():
        was = before.get(section, {})
        kept = {name: entry for name, entry in was.items() if is_of(name, broken)}
        merged = kept | kept_where_close(was, entries_now, suite.tolerance)
        before[section] = dict(sorted(merged.items()))
    return render_record(dict(sorted(before.items())), tests)
