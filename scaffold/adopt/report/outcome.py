"""What became of a class."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from scaffold.adopt.child.classes.call_text import argument_texts, call_text, method_text
from scaffold.adopt.emit.class_suite import Adopted
from scaffold.adopt.emit.texts import first_line
from scaffold.adopt.report.causes import key_of
from scaffold.choices import SEVERITIES
from scaffold.files.fileset import File

_CANNOT = "cannot be looked at"
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
            return f"{self.module}: passed over, since it cannot be imported: {first_line(self.why)}"
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
    mistake: str = ""
    """The option of which `why` says what is wrong with it."""
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
    def distinct(self) -> list[Mapping[str, Any]]:
        """The findings, each once; advice on a part of which something worse is said waits until that is mended."""
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
        """Errors of the laws themselves, which say nothing of the class."""
        return list(self.report.get("errors", ()))

    @property
    def state(self) -> str:
        """In one word: `adopted`, `built` where no call of it was found, or `not built`."""
        if self.file is None:
            return "left out" if self.left_out else "not built"
        description = self.one.found
        return "adopted" if description["called"] or not description["methods"] else "built"

    @property
    def line(self) -> str:
        """What is said of it in a line."""
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

    def hints(self) -> Iterator[str]:
        """What could not be found, with the flag that gives it."""
        name = self.one.name.rpartition(".")[2]
        if self.left_out or (self.file is None and self.findings):
            return
        if self.file is None:
            sets = " ".join(f"--set {argument}=VALUE" for argument in self.unknown)
            yield f"{self.one.label}: {first_line(self.why)}\n  give: {sets or f'''--build '{name}(...)' '''.strip()}"
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
            yield f"{self.one.label}: its call is not found: {why}\n  give: {give}"
        if description.get("actions") and not description["called"]:
            forms = ", ".join(f"`{form}`" for form in description["actions"])
            give = f"--call '{description['actions'][0]}' with values for its names"
            yield f"{self.one.label}: what may train, run or write is not called by itself: {forms}\n  give: {give}"
        if description.get("idle"):
            yield f"{self.one.label}: {description['idle']}\n  give: --call 'METHOD(...)', where another says more"

    @property
    def built(self) -> str | None:
        """The expression by which the example is built; none where that is not known."""
        found = self.one.found
        if found.get("build") or "maker" not in found:
            return found.get("build")
        inputs = ", ".join(f"{name}={text}" for name, text in found["inputs"])
        return f"{found['maker']}({inputs})"

    def example_of(self, finding: Mapping[str, Any]) -> str:
        """The expressions by which the example is built, and the method called that a finding is about; empty where that is not known."""
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
        """As plain JSON."""
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
            "missing": [hint.replace("\n  ", "; ") for hint in self.hints()],
        }


def failures(findings: Iterable[Mapping[str, Any]], severity: str) -> Iterator[Mapping[str, Any]]:
    """The findings that fail a test, where `severity` is the least severe that does."""
    fails = SEVERITIES[: SEVERITIES.index(severity) + 1]
    return (finding for finding in findings if finding["severity"] in fails)


def distinct(findings: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The findings without those of one cause that another test of the same law has made at the same place."""
    first: dict[tuple[str, ...], Mapping[str, Any]] = {}
    for finding in findings:
        first.setdefault((*key_of(finding), finding["where"]), finding)
    return list(first.values())
