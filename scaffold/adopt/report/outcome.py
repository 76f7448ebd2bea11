"""Outcome of a class."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from scaffold.adopt.child.classes.call_text import argument_texts, call_text, method_text
from scaffold.adopt.emit.class_suite import Adopted
from scaffold.adopt.emit.texts import first_line
from scaffold.adopt.report.causes import key_of
from scaffold.adopt.report.not_found import Missing
from scaffold.choices import SEVERITIES
from scaffold.files.fileset import File

_CANNOT = "cannot be looked at"
_PLURALS = {"fault": "faults", "cost": "costs", "advice": "advice"}


class LeftOut(Struct, frozen=True):
    """A class without a suite, or a module that cannot be imported, and the reason."""

    module: str
    name: str
    """Name of the class, empty for a module."""
    why: str

    @property
    def is_by_kind(self) -> bool:
        """Whether the class is left out for its kind, and not for an error."""
        return bool(self.name) and _CANNOT not in self.why

    @property
    def text(self) -> str:
        """Line of the report, such as `pkg.mod:Class: left out: it is abstract`."""
        if not self.name:
            return f"{self.module}: passed over, since it cannot be imported: {first_line(self.why)}"
        return f"{self.module}:{self.name}: left out: {self.why}"

    def to_json(self) -> dict[str, str]:
        """Return the label and the reason as plain JSON."""
        if not self.name:
            return {"module": self.module, "why": self.why}
        return {"class": f"{self.module}:{self.name}", "why": self.why}


class Outcome(Struct, frozen=True):
    """Outcome of a class: the reason why nothing built it, or its test file and the report of the tests."""

    one: Adopted
    why: str = ""
    mistake: str = ""
    """Option whose value is wrong, as `why` explains."""
    unknown: tuple[str, ...] = ()
    """Arguments for which no value is known."""
    file: File | None = None
    kept: bool = False
    """True if the user has edited the existing file, which stays."""
    stays: str = ""
    """Reason why the test file is not written."""
    report: Mapping[str, Any] = field(default_factory=dict[str, Any])
    left_out: str = ""
    """Reason to give the class no suite, if only its call shows that."""
    baseline: int = 0
    """Number of findings that the file skips, each with its text as the reason."""
    seconds: float = 0.0
    """Duration of the search and the tests."""

    @property
    def is_whole(self) -> bool:
        """Whether the class was built, called and held to all of its laws."""
        ended = "error" in self.report or self.internal_errors
        return self.state in ("adopted", "left out") and not ended

    @property
    def findings(self) -> list[dict[str, Any]]:
        """Findings of the laws that the user has not accepted."""
        return list(self.report.get("findings", ()))

    @property
    def distinct(self) -> list[Mapping[str, Any]]:
        """Distinct findings, without advice on a part for which there is a worse finding."""
        every = distinct(self.findings)
        worse = {finding["where"] for finding in every if finding["severity"] != SEVERITIES[-1]}
        worse -= {self.one.name.rpartition(".")[2]}
        return [
            finding
            for finding in every
            if finding["severity"] != SEVERITIES[-1] or finding["where"] not in worse
        ]

    @property
    def internal_errors(self) -> list[dict[str, Any]]:
        """Errors of the laws themselves, which say nothing about the class."""
        return list(self.report.get("errors", ()))

    @property
    def state(self) -> str:
        """State of the class: `adopted`, `built` if no call was found, `not built`, or `left out`."""
        if self.file is None:
            return "left out" if self.left_out else "not built"
        description = self.one.found
        return "adopted" if description["called"] or not description["methods"] else "built"

    @property
    def line(self) -> str:
        """Summary of the outcome in a line."""
        if self.file is None:
            return f"left out: {self.left_out}" if self.left_out else f"not built: {first_line(self.why)}"
        parts = ["adopted" if self.state == "adopted" else "adopted without a call"]
        method = self.one.found.get("method")
        parts += [f"called by `{method_text(method)}`"] if method else []
        unfinished = self.one.found.get("unfinished") if self.one.found["called"] else ""
        parts += [f"its other methods not all looked at, since {unfinished}"] if unfinished else []
        parts += [f"its own tests in {self.file.path}"] if self.kept else []
        parts += [f"its tests ended: {self.report['error']}"] if "error" in self.report else [self._counts()]
        return ", ".join(parts)

    def _counts(self) -> str:
        counts = Counter(str(finding["severity"]) for finding in self.distinct)
        words = [word for word in SEVERITIES if counts[word]]
        totals = [f"{counts[word]} {word if counts[word] == 1 else _PLURALS[word]}" for word in words]
        errors = len(self.internal_errors)
        ended = [f"{errors} internal error{'s' * (errors > 1)}"] if errors else []
        passed = f"{self.report.get('passed', 0)} tests pass"
        rests = dict[str, str](self.report.get("rests", {}))
        laws = ", ".join(sorted(set(rests.values()), key=lambda law: (len(law), law)))
        totals += [f"{len(rests)} not run ({laws})"] if rests else []
        accepted = [f"{self.baseline} left out"] if self.baseline else []
        return ", ".join([passed, *totals, *ended, *accepted])

    def hints(self) -> Iterator[Missing]:
        """Yield what the search could not find, with the option that supplies it."""
        name = self.one.name.rpartition(".")[2]
        if self.left_out or (self.file is None and self.findings):
            return
        if self.file is None:
            sets = " ".join(f"--set {argument}=VALUE" for argument in self.unknown)
            give = sets or f"--build '{name}(...)'"
            yield Missing(self.one.label, first_line(self.why), give)
            return
        description = self.one.found
        if not description["called"] and description["methods"]:
            why = (
                first_line(description.get("why", ""))
                or "nothing that it returns depends on what it is given"
            )
            guessed = ", ".join(f"`{argument}`" for argument in description.get("guessed", ()))
            also = f", or --build '{name}(...)', since the shape of {guessed} is guessed" if guessed else ""
            give = f"--call '{description['form']}' with values for its names, as `jnp.ones(3)`; --with imports what they need{also}"
            yield Missing(self.one.label, f"its call is not found: {why}", give)
        if description.get("actions") and not description["called"]:
            forms = ", ".join(f"`{form}`" for form in description["actions"])
            give = f"--call '{description['actions'][0]}' with values for its names"
            why = f"what may train, run or write is not called by itself: {forms}"
            yield Missing(self.one.label, why, give)
        if description.get("idle"):
            give = "--call 'METHOD(...)', where another says more"
            yield Missing(self.one.label, description["idle"], give)

    @property
    def built(self) -> str | None:
        """Expression that builds the example, or None if it is not known."""
        found = self.one.found
        if found.get("build") or "maker" not in found:
            return found.get("build")
        inputs = ", ".join(f"{name}={text}" for name, text in found["inputs"])
        return f"{found['maker']}({inputs})"

    def example_of(self, finding: Mapping[str, Any]) -> str:
        """Return the expression that builds the example and calls the method of a finding.

        If no such call is known, return the expression that builds the example, or an empty text.
        """
        found = self.one.found
        calls = {method: arguments for method, arguments in found.get("extra", ())}
        about = str(finding["where"]).partition(",")[0]
        if self.built and about in calls:
            return call_text(self.built, about, argument_texts(calls[about]))
        is_of_method = "_methods_" in str(finding.get("test", ""))
        if is_of_method or not (self.built and found.get("called")):
            return self.built or ""
        return call_text(self.built, found["method"], argument_texts(found["arguments"]))

    def to_json(self) -> dict[str, Any]:
        """Return the outcome as plain JSON."""
        return {
            "class": self.one.label,
            "state": self.state,
            "why": self.left_out or (first_line(self.why) if self.file is None else ""),
            "file": str(self.file.path) if self.file else None,
            "kept": self.kept,
            "built": self.built,
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
            "missing": [missing.text.replace("\n  ", "; ") for missing in self.hints()],
        }


def failures(findings: Iterable[Mapping[str, Any]], severity: str) -> Iterator[Mapping[str, Any]]:
    """Return the findings that are at least as severe as `severity`, and so fail a test."""
    fails = SEVERITIES[: SEVERITIES.index(severity) + 1]
    return (finding for finding in findings if finding["severity"] in fails)


def distinct(findings: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Drop findings whose cause and place another test of the same law has reported."""
    first: dict[tuple[str, ...], Mapping[str, Any]] = {}
    for finding in findings:
        first.setdefault((*key_of(finding), finding["where"]), finding)
    return list(first.values())
