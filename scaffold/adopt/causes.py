"""Findings by law and cause: what has one law and one text is one cause, wherever it was found."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from scaffold.choices import SEVERITIES
from scaffold.errors import shown

MAX_PLACES = 3
MAX_CAUSES = 3
"""Causes of one law on a terminal, so that no law hides the others."""
MAX_LINES = 40
"""Lines of findings on a terminal."""
_LONGEST = 400
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_INSTALLED = re.compile(r"(?:[A-Za-z]:)?[\\/][^\s'\"`]*[\\/](?:site|dist)-packages[\\/]")
_VARIES = re.compile(r"`[^`]*`|'[^']*'|\d+(?:\.\d+)?(?:e[-+]?\d+)?")
"""Names and numbers, by which two texts of one cause differ."""

Finding = Mapping[str, Any]


class Cause(Struct, frozen=True):
    """One cause: its first finding, and the places where it was found."""

    first: Finding
    places: tuple[str, ...]

    @property
    def law(self) -> tuple[str, str, str]:
        """The severity, number and name of the law that it breaks."""
        return self.first["severity"], self.first["law"], self.first["name"]

    @property
    def lines(self) -> tuple[str, ...]:
        """The cause with its count, up to three places, and what to look for."""
        count = len(self.places)
        times = f" ({count} times)" if count > 1 else ""
        more = f" and {count - MAX_PLACES} more" if count > MAX_PLACES else ""
        places = f"      at {'; '.join(self.places[:MAX_PLACES])}{more}"
        hint = [f"      look for: {on_a_line(self.first['hint'])}"] if self.first["hint"] else []
        return (f"    {on_a_line(self.first['what'])}{times}", places, *hint)


def causes_of(findings: Iterable[tuple[str, Finding]]) -> list[Cause]:
    """The causes of findings, each with its class: the gravest first, then the one that was found most often."""
    first: dict[tuple[str, str, str], Finding] = {}
    places: dict[tuple[str, str, str], dict[str, None]] = {}
    for label, finding in findings:
        key = finding["severity"], finding["law"], _VARIES.sub("_", on_a_line(finding["what"]))
        first.setdefault(key, finding)
        places.setdefault(key, {})[f"{label}, `{finding['where']}`"] = None
    causes = [Cause(first[key], tuple(places[key])) for key in first]
    return sorted(causes, key=lambda cause: (SEVERITIES.index(cause.law[0]), -len(cause.places)))


def cause_lines(causes: Sequence[Cause], most: int | None) -> Iterator[str]:
    """The causes by law, line by line: all of them, or so many lines with a few causes of each law, and the rest counted."""
    lines: list[str] = []
    printed = 0
    for law in dict.fromkeys(cause.law for cause in causes):
        of_law = [cause for cause in causes if cause.law == law]
        shown_causes = of_law if most is None else of_law[:MAX_CAUSES]
        block = _law_lines(shown_causes)
        if most is not None and len(lines) + len(block) > most:
            break
        lines, printed = lines + block, printed + len(shown_causes)
    yield from lines
    left = len(causes) - printed
    if left:
        yield f"  {left} more cause{'s' * (left > 1)}: `--report FILE.md` writes all, and `--json` prints them"


def _law_lines(causes: Sequence[Cause]) -> list[str]:
    """The causes of one law under its name, and what mends them once."""
    head = "  {:6} {} {}".format(*causes[0].law)
    return [head, *(line for cause in causes for line in cause.lines), f"    fix: {causes[0].first['fix']}"]


def on_a_line(text: str) -> str:
    """A text in one line, without addresses of objects and folders of installed packages.

    What jax says in several lines has its cause in the later ones.
    """
    plain = _INSTALLED.sub("", _ADDRESS.sub("", " ".join(text.split())))
    return shown(plain, _LONGEST)
