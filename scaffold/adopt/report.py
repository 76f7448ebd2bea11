"""What is said of the classes: a line each, then the findings, then what could not be found, with the flag that gives it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from scaffold.adopt.causes import MAX_LINES, SEVERITIES, cause_lines, causes_of, on_a_line
from scaffold.adopt.emit import Adopted
from scaffold.errors import shown
from scaffold.files.fileset import File

_CANNOT = "cannot be looked at"
INCOMPLETE = 3
"""The exit code where something could not be looked at."""
BY_CAUSE = 3
"""From so many classes with findings on, these are told by cause."""
_PLURALS = {"fault": "faults", "cost": "costs", "style": "of style"}


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

    @property
    def is_whole(self) -> bool:
        """Whether it was built, called and held to all of its laws."""
        ended = "error" in self.report or self.report.get("errors")
        return self.state in ("adopted", "left out") and not ended

    @property
    def findings(self) -> list[dict[str, Any]]:
        """What the laws found, and nobody has accepted."""
        return list(self.report.get("findings", ()))

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
        told += [f"its own tests in {self.file.path}"] if self.kept else []
        told += [f"its tests ended: {self.report['error']}"] if "error" in self.report else [self._counts()]
        return ", ".join(told)

    def _counts(self) -> str:
        counts = Counter(str(one["severity"]) for one in _distinct(self.findings))
        told = [f"{count} {word if count == 1 else _PLURALS[word]}" for word, count in sorted(counts.items())]
        errors = len(self.report.get("errors", ()))
        ended = [f"{errors} tests ended with an error of their own"] if errors else []
        held = f"{self.report.get('passed', 0)} tests pass"
        accepted = [f"{self.baseline} left out"] if self.baseline else []
        return ", ".join([held, *told, *ended, *accepted])

    def hints(self) -> Iterator[str]:
        """What could not be found, with the flag that gives it."""
        name = self.one.name.rpartition(".")[2]
        if self.left_out:
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

    @property
    def ok(self) -> bool:
        """Whether everything was looked at, and no law found anything that nobody has accepted."""
        return self.exit_code == 0

    @property
    def exit_code(self) -> int:
        """1 where a law found something, and 3 where something could not be imported, built, called or held to the laws."""
        if any(one.findings for one in self.outcomes):
            return 1
        is_whole = all(one.is_whole for one in self.outcomes) and all(one.is_by_kind for one in self.left_out)
        return 0 if is_whole else INCOMPLETE

    def text(self) -> str:
        """As it is printed."""
        width = max((len(one.one.name) for one in self.outcomes), default=0)
        lines = [f"{one.one.name:{width}}  {one.line}" for one in self.outcomes]
        lines += [one.text for one in self.left_out]
        lines += self._findings(MAX_LINES)
        hints = [hint for one in self.outcomes for hint in one.hints()]
        return "\n".join([*lines, *(["", "not found:", *hints] if hints else [])])

    def markdown(self) -> str:
        """All of it, as a file: the classes in a table, and every cause with its places."""
        rows = [f"| `{one.one.label}` | {one.line} |" for one in self.outcomes]
        rows += [f"| {one.text.replace(': ', ' | ', 1)} |" for one in self.left_out]
        findings = self._findings(len(rows) * 10**6)
        hints = [hint for one in self.outcomes for hint in one.hints()]
        parts = ["# What the laws say", "", "| class | |", "|---|---|", *rows]
        parts += ["", "```text", *findings[1:], "```"] if findings else []
        parts += ["", "## Not found", "", "```text", *hints, "```"] if hints else []
        return "\n".join(parts) + "\n"

    def _findings(self, most: int) -> list[str]:
        """The findings: of few classes by class, of many by cause, up to so many lines."""
        found = [one for one in self.outcomes if one.findings]
        if len(found) < BY_CAUSE:
            by_class = (["", one.one.label, *_told_findings(one.findings)] for one in found)
            return [line for lines in by_class for line in lines]
        pairs = [(one.one.label, finding) for one in found for finding in _distinct(one.findings)]
        return ["", f"findings of {len(found)} classes, by cause:", *cause_lines(causes_of(pairs), most)]

    def to_json(self) -> dict[str, Any]:
        """As plain JSON."""
        return {
            "classes": [one.to_json() for one in self.outcomes],
            "left_out": [one.to_json() for one in self.left_out],
        }


def _told_findings(findings: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The findings by law, the gravest first: place and cause of each, and what mends them once."""
    ordered = sorted(_distinct(findings), key=lambda one: SEVERITIES.index(one["severity"]))
    for law in dict.fromkeys((one["severity"], one["law"]) for one in ordered):
        group = [one for one in ordered if (one["severity"], one["law"]) == law]
        for one in group:
            yield f"  {one['severity']:5} {one['law']} {one['name']}, at `{one['where']}`: {on_a_line(one['what'])}"
            if one["hint"]:
                yield f"        look for: {on_a_line(one['hint'])}"
        yield f"        fix: {group[0]['fix']}"


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
