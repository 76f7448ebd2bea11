"""Report on all classes of a run, within a screen or in full."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any

from msgspec import Struct

from scaffold.adopt.emit.texts import on_a_line
from scaffold.adopt.report.causes import Cause, cause_lines, causes_of, united
from scaffold.adopt.report.in_passing import apart, in_a_line, in_passing
from scaffold.adopt.report.not_found import MAX_PLACES, together
from scaffold.adopt.report.outcome import LeftOut, Outcome, failures
from scaffold.files.fileset import File
from scaffold.tidy import tidy

INCOMPLETE, INTERNAL = 3, 70
"""Exit codes if something could not be looked at, and if a law itself failed."""
SCREEN = 40
"""Maximum number of lines on a terminal."""
MAX_CLASSES, MAX_HINTS, MAX_ERRORS = 12, 3, 3
"""Maximum number of classes, hints and internal errors that a terminal lists."""
SLOW, MAX_SLOW, TOO_SLOW = 20.0, 5, 60.0
"""Seconds of a slow class, number of slow classes to list, and seconds from which all are listed."""
REPORT_IT = "  please report it with this line and the class; --json has the whole"
SELDOM = "What is seldom wanted, in a line each; `--json` has it whole."
STATES = ("adopted", "built", "not built", "left out")
_TOLD = {"built": "adopted without a call"}


class Report(Struct, frozen=True):
    """Report on all classes."""

    outcomes: tuple[Outcome, ...]
    left_out: tuple[LeftOut, ...] = ()
    severity: str = "fault"
    """Least severe finding that fails a test."""
    whole: str = "--report FILE.md"
    """File that has the whole report, or the option that writes such a file."""

    @property
    def ok(self) -> bool:
        """Whether every class was looked at, and no finding fails a test."""
        return self.exit_code == 0

    @property
    def fails(self) -> bool:
        """Whether a finding fails a test, or a law itself failed.

        A class that was not built does not count.
        """
        return self.exit_code in (1, INTERNAL)

    @property
    def exit_code(self) -> int:
        """Exit code: 70 if a law itself failed, 1 if a finding fails a test, 3 if something is incomplete.

        A class is incomplete if it could not be imported, built, called or held to all laws.
        """
        if any(outcome.internal_errors for outcome in self.outcomes):
            return INTERNAL
        if any(any(failures(outcome.findings, self.severity)) for outcome in self.outcomes):
            return 1
        is_whole = all(outcome.is_whole for outcome in self.outcomes) and all(
            left_out.is_by_kind for left_out in self.left_out
        )
        return 0 if is_whole else INCOMPLETE

    @property
    def causes(self) -> list[Cause]:
        """Causes of the findings, the most harmful first."""
        return causes_of(
            (outcome.one.label, {**finding, "example": outcome.example_of(finding)})
            for outcome in self.outcomes
            for finding in outcome.distinct
        )

    def text(self) -> str:
        """Format the report for a terminal, where findings get the lines that the rest leaves."""
        above = self.class_lines() if self._is_small else self._summary()
        below = [*self._slow(), *self._internal(MAX_ERRORS), *self._not_found(MAX_HINTS)]
        causes, others = apart(self.causes)
        rest = in_a_line(others, self.whole)
        room = SCREEN - len(above) - len(below) - len(rest) - 2
        lines = [*cause_lines(united(causes), room, self.whole), *rest]
        findings = ["", "findings:", *lines] if lines else []
        return "\n".join([*above, *findings, *below])

    @property
    def _is_small(self) -> bool:
        return len(self.outcomes) + len(self.left_out) <= MAX_CLASSES

    def class_lines(self) -> list[str]:
        """Return a line for each class, and for each class or module left out."""
        width = max((len(outcome.one.name) for outcome in self.outcomes), default=0)
        lines = [f"{outcome.one.name:{width}}  {outcome.line}" for outcome in self.outcomes]
        return [*lines, *(left_out.text for left_out in self.left_out)]

    def _summary(self) -> list[str]:
        """Count the classes by state, the passing tests, and the classes with faults."""
        states = Counter(outcome.state for outcome in self.outcomes)
        totals = [f"{states[state]} {_TOLD.get(state, state)}" for state in STATES if states[state]]
        failing = [outcome for outcome in self.outcomes if any(failures(outcome.findings, self.severity))]
        clean = sum(outcome.file is not None for outcome in self.outcomes) - len(failing)
        tests = sum(int(outcome.report.get("passed", 0)) for outcome in self.outcomes)
        lines = [
            f"{len(self.outcomes)} classes: {', '.join(totals)}",
            f"{tests:,} tests pass; {len(failing)} classes have faults, and {clean} have none",
        ]
        modules = [left_out.module for left_out in self.left_out if not left_out.name]
        others = len(self.left_out) - len(modules)
        lines += [f"passed over, since they cannot be imported: {_some(modules)}"] if modules else []
        return [*lines, *([f"{others} left out: `{self.whole}` says why"] if others else [])]

    def _slow(self) -> list[str]:
        """List the slowest classes, if any class was slow."""
        slow = [
            outcome
            for outcome in sorted(self.outcomes, key=lambda outcome: -outcome.seconds)
            if outcome.seconds >= SLOW
        ]
        most = max(MAX_SLOW, sum(outcome.seconds >= TOO_SLOW for outcome in slow))
        timings = [f"{outcome.one.label} {outcome.seconds:.0f} s" for outcome in slow[:most]]
        return ["", f"slowest: {', '.join(timings)}"] if timings else []

    def _internal(self, most: int | None = None) -> list[str]:
        """List errors of the laws themselves, once for each test."""
        errors = {
            error[
                "test"
            ]: f"  {error['test']} of {outcome.one.label}, in {error['where']}: {on_a_line(error['what'])}"
            for outcome in reversed(self.outcomes)
            for error in outcome.internal_errors
        }
        head = "internal errors, which say nothing of the classes:"
        lines = [*errors.values()][:most]
        lines += [f"  and {len(errors) - len(lines)} more"] if len(errors) > len(lines) else []
        return ["", head, *lines, REPORT_IT] if errors else []

    def hints(self, places: int | None = None) -> list[str]:
        """Values that the search could not find, with the option that supplies each, and one reason once."""
        return [*together((each for outcome in self.outcomes for each in outcome.hints()), places)]

    def _not_found(self, most: int) -> list[str]:
        hints = self.hints(MAX_PLACES)
        few = "\n".join(hints[:most]).split("\n")
        more = f"and {len(hints) - most} more: `{self.whole}` has them all"
        return ["", "not found:", *few, *([more] if len(hints) > most else [])] if hints else []

    def markdown(self) -> str:
        """Return the whole report as Markdown, with every cause, its places and a reproduction."""
        return "\n".join(self._markdown()) + "\n"

    def _markdown(self) -> Iterator[str]:
        yield from ("# What the laws say", "", "| class | |", "|---|---|")
        yield from (f"| `{outcome.one.label}` | {outcome.line} |" for outcome in self.outcomes)
        yield from (f"| {left_out.text.replace(': ', ' | ', 1)} |" for left_out in self.left_out)
        causes, others = apart(self.causes)
        for cause, code in zip(causes, formatted(causes), strict=True):
            yield from _cause_section(cause, code)
        yield from ("", "## In passing", "", SELDOM, "") if others else ()
        yield from (f"- {text}: {'; '.join(places)}" for text, places in in_passing(others))
        for section in (self._internal(), self._slow()):
            yield from ("", "```text", *section[1:], "```") if section else ()
        yield from ("", "## Not found", "", "```text", *hints, "```") if (hints := self.hints()) else ()

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain JSON."""
        return {
            "classes": [outcome.to_json() for outcome in self.outcomes],
            "left_out": [left_out.to_json() for left_out in self.left_out],
        }


def formatted(causes: Sequence[Cause]) -> list[str]:
    """Return the reproduction of each cause, formatted by ruff."""
    files = [File(PurePosixPath(f"cause_{n}.py"), "\n".join(cause.code)) for n, cause in enumerate(causes)]
    return [file.text.strip() for file in tidy(files)]


def _cause_section(cause: Cause, code: str) -> Iterator[str]:
    """Yield a section with a cause and all of its places."""
    yield from ("", f"## {' '.join(cause.title.split())}{cause.times}", "", on_a_line(cause.text))
    if code:
        yield from ("", "```py", code, "```")
    elif cause.first["example"]:
        yield from ("", f"Example: `{on_a_line(cause.first['example'])}`")
    for key, label in (("raised_at", "Raised at"), ("made_at", "Made at")):
        if cause.first.get(key):
            yield from ("", f"{label}: `{on_a_line(cause.first[key])}`")
    hint, fix = (on_a_line(cause.first[key]) for key in ("hint", "fix"))
    yield from ("", f"Look for: {hint}" if hint else f"Usual fix: {fix}", "")
    yield from (f"- {place}" for place in cause.places)


def _some(names: Sequence[str]) -> str:
    """Join the first names, and count the others."""
    more = f" and {len(names) - MAX_HINTS} more" if len(names) > MAX_HINTS else ""
    return ", ".join(names[:MAX_HINTS]) + more
