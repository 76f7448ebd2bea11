"""What is said of the classes: a line each, then the findings, then what could not be found, with the flag that gives it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from scaffold.adopt.causes import MAX_LINES, cause_lines, causes_of, on_a_line
from scaffold.adopt.emit import Adopted
from scaffold.choices import SEVERITIES
from scaffold.errors import shown
from scaffold.files.fileset import File

_CANNOT = "cannot be looked at"
INCOMPLETE, INTERNAL = 3, 70
"""The exit codes where something could not be looked at, and where a law itself failed."""
SLOW, MOST_SLOW, TOO_SLOW = 20.0, 5, 60.0
"""From how many seconds on a class is told as slow, how many such classes, and from how many seconds on each."""
REPORT_IT = "  please report it with this line and the class; --json has the whole"
_PLURALS = {"fault": "faults", "cost": "costs", "advice": "advice"}


class LeftOut(Struct, frozen=True):
    """A class that gets no suite, or a module that cannot be imported, and why."""

    module: str
    name: str
    """Empty for a module."""
    why: str

    @property
    def is_by_kind(self) -> bool:
        """Whether its kind gets no suite, and not whether something went wrong."""
        return bool(self.name) and _CANNOT not in self.why

    @property
    def text(self) -> str:
        """In one line."""
        if not self.name:
            return f"{self.module}: passed over, since it cannot be imported: {_first_line(self.why)}"
        return f"{self.module}:{self.name}: left out: {self.why}"

    def to_json(self) -> dict[str, str]:
        """As plain JSON."""
        if not self.name:
            return {"module": self.module, "why": self.why}
        return {"class": f"{self.module}:{self.name}", "why": self.why}


class Outcome(Struct, frozen=True):
    """What became of a class: why nothing built it, or the file of its tests and what these say."""

    one: Adopted
    why: str = ""
    unknown: tuple[str, ...] = ()
    """The arguments of which nothing is known."""
    file: File | None = None
    kept: bool = False
    """Whether the file that was there already was edited, which stays."""
    stays: str = ""
    """Why nothing is written of it."""
    report: Mapping[str, Any] = field(default_factory=dict[str, Any])
    left_out: str = ""
    """Why it gets no suite, where only its call shows that."""
    baseline: int = 0
    """How many findings the file leaves out, each with its text."""
    seconds: float = 0.0
    """How long it took."""

    @property
    def is_whole(self) -> bool:
        """Whether it was built, called and held to all of its laws."""
        ended = "error" in self.report or self.internal_errors
        return self.state in ("adopted", "left out") and not ended

    @property
    def findings(self) -> list[dict[str, Any]]:
        """What the laws found, and nobody has accepted."""
        return list(self.report.get("findings", ()))

    @property
    def internal_errors(self) -> list[dict[str, Any]]:
        """Errors of the laws themselves, which say nothing of the class."""
        return list(self.report.get("errors", ()))

    @property
    def state(self) -> str:
        """In one word: `adopted`, `built` where no call of it was found, or `not built`."""
        if self.file is None:
            return "left out" if self.left_out else "not built"
        found = self.one.found
        return "adopted" if found["called"] or not found["methods"] else "built"

    @property
    def line(self) -> str:
        """What is said of it in a line."""
        if self.file is None:
            return f"left out: {self.left_out}" if self.left_out else f"not built: {_first_line(self.why)}"
        told = ["adopted" if self.state == "adopted" else "adopted without a call"]
        told += [f"called by `{self.one.found['method']}`"] if self.one.found.get("method") else []
        told += [f"its own tests in {self.file.path}"] if self.kept else []
        told += [f"its tests ended: {self.report['error']}"] if "error" in self.report else [self._counts()]
        return ", ".join(told)

    def _counts(self) -> str:
        counts = Counter(str(one["severity"]) for one in _distinct(self.findings))
        words = [word for word in SEVERITIES if counts[word]]
        told = [f"{counts[word]} {word if counts[word] == 1 else _PLURALS[word]}" for word in words]
        errors = len(self.internal_errors)
        ended = [f"{errors} internal error{'s' * (errors > 1)}"] if errors else []
        held = f"{self.report.get('passed', 0)} tests pass"
        rests = dict[str, str](self.report.get("rests", {}))
        laws = ", ".join(sorted(set(rests.values()), key=lambda law: (len(law), law)))
        told += [f"{len(rests)} not run ({laws})"] if rests else []
        accepted = [f"{self.baseline} left out"] if self.baseline else []
        return ", ".join([held, *told, *ended, *accepted])

    def hints(self) -> Iterator[str]:
        """What could not be found, with the flag that gives it."""
        name = self.one.name.rpartition(".")[2]
        if self.left_out:
            return
        if self.file is None and self.why.startswith("--"):
            yield f"{self.one.label}: {_first_line(self.why)}\n  give: it without this mistake"
            return
        if self.file is None:
            sets = " ".join(f"--set {one}=VALUE" for one in self.unknown)
            yield f"{self.one.label}: {_first_line(self.why)}\n  give: {sets or f'''--build '{name}(...)' '''.strip()}"
            return
        found = self.one.found
        if not found["called"] and found["methods"]:
            method = found["methods"][0]
            why = _first_line(found.get("why", "")) or "nothing that it returns depends on what it is given"
            guessed = ", ".join(f"`{one}`" for one in found.get("guessed", ()))
            also = f", or --build '{name}(...)', since the shape of {guessed} is guessed" if guessed else ""
            yield f"{self.one.label}: its call is not found: {why}\n  give: --call '{method}(...)'{also}"
        if found.get("idle"):
            yield f"{self.one.label}: {found['idle']}\n  give: --call 'METHOD(...)', where another says more"

    def to_json(self) -> dict[str, Any]:
        """As plain JSON."""
        return {
            "class": self.one.label,
            "state": self.state,
            "file": str(self.file.path) if self.file else None,
            "kept": self.kept,
            "built": self.one.found.get("build") or _call_text(self.one.found),
            "call": self.one.found.get("method") if self.one.found.get("called") else None,
            "arguments": [text for _, text, _ in self.one.found.get("arguments", ())],
            "passed": self.report.get("passed", 0),
            "findings": self.findings,
            "left_out": self.baseline,
            "seconds": round(self.seconds, 1),
            "errors": [
                *self.report.get("errors", ()),
                *([self.report["error"]] if "error" in self.report else ()),
            ],
            "missing": [hint.replace("\n  ", "; ") for hint in self.hints()],
        }


class Report(Struct, frozen=True):
    """What became of all classes."""

    outcomes: tuple[Outcome, ...]
    left_out: tuple[LeftOut, ...] = ()
    severity: str = "fault"
    """The least severe finding that fails a test."""

    @property
    def ok(self) -> bool:
        """Whether everything was looked at, and no law found anything that nobody has accepted."""
        return self.exit_code == 0

    @property
    def exit_code(self) -> int:
        """70 where a law failed itself, 1 where one found what fails a test, 3 where something could not be imported, built, called or held."""
        if any(one.internal_errors for one in self.outcomes):
            return INTERNAL
        if any(any(failures(outcome.findings, self.severity)) for outcome in self.outcomes):
            return 1
        is_whole = all(one.is_whole for one in self.outcomes) and all(one.is_by_kind for one in self.left_out)
        return 0 if is_whole else INCOMPLETE

    def text(self) -> str:
        """As it is printed."""
        width = max((len(one.one.name) for one in self.outcomes), default=0)
        lines = [f"{one.one.name:{width}}  {one.line}" for one in self.outcomes]
        lines += [one.text for one in self.left_out]
        lines += self._findings(MAX_LINES)
        lines += self._slow()
        hints = [hint for one in self.outcomes for hint in one.hints()]
        internal = self._internal()
        return "\n".join([*lines, *internal, *(["", "not found:", *hints] if hints else [])])

    def markdown(self) -> str:
        """All of it, as a file: the classes in a table, and every cause with its places."""
        rows = [f"| `{one.one.label}` | {one.line} |" for one in self.outcomes]
        rows += [f"| {one.text.replace(': ', ' | ', 1)} |" for one in self.left_out]
        findings = self._findings(None)
        hints = [hint for one in self.outcomes for hint in one.hints()]
        parts = ["# What the laws say", "", "| class | |", "|---|---|", *rows]
        parts += ["", "```text", *findings[1:], "```"] if findings else []
        for section in (self._internal(), self._slow()):
            parts += ["", "```text", *section[1:], "```"] if section else []
        parts += ["", "## Not found", "", "```text", *hints, "```"] if hints else []
        return "\n".join(parts) + "\n"

    def _slow(self) -> list[str]:
        """The classes that took longest, where some took long."""
        slow = [one for one in sorted(self.outcomes, key=lambda one: -one.seconds) if one.seconds >= SLOW]
        most = max(MOST_SLOW, sum(one.seconds >= TOO_SLOW for one in slow))
        rows = [f"  {one.seconds:4.0f} s  {one.one.label}" for one in slow[:most]]
        return ["", "slowest:", *rows] if rows else []

    def _internal(self) -> list[str]:
        """Errors of the laws themselves, each law once."""
        errors = {
            error[
                "test"
            ]: f"  {error['test']} of {outcome.one.label}, in {error['where']}: {on_a_line(error['what'])}"
            for outcome in reversed(self.outcomes)
            for error in outcome.internal_errors
        }
        head = "internal errors, which say nothing of the classes:"
        return ["", head, *errors.values(), REPORT_IT] if errors else []

    def _findings(self, most: int | None) -> list[str]:
        """The findings by law and cause: all of them, or up to so many lines."""
        findings = [
            (outcome.one.label, finding)
            for outcome in self.outcomes
            for finding in _distinct(outcome.findings)
        ]
        return ["", "findings:", *cause_lines(causes_of(findings), most)] if findings else []

    def to_json(self) -> dict[str, Any]:
        """As plain JSON."""
        return {
            "classes": [one.to_json() for one in self.outcomes],
            "left_out": [one.to_json() for one in self.left_out],
        }


def failures(findings: Iterable[Mapping[str, Any]], severity: str) -> Iterator[Mapping[str, Any]]:
    """The findings that fail a test, where `severity` is the least severe that does."""
    fails = SEVERITIES[: SEVERITIES.index(severity) + 1]
    return (finding for finding in findings if finding["severity"] in fails)


def _distinct(findings: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The findings without those that another test of the same law has made at the same place."""
    first: dict[tuple[str, str, str], Mapping[str, Any]] = {}
    for one in findings:
        first.setdefault((one["law"], one["where"], one["what"]), one)
    return list(first.values())


def _first_line(text: str) -> str:
    return shown(text.strip().partition("\n")[0], 160)


def _call_text(found: Mapping[str, Any]) -> str | None:
    if "maker" not in found:
        return None
    return f"{found['maker']}({', '.join(f'{name}={text}' for name, text in found['inputs'])})"
