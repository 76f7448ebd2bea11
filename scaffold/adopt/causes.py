"""Findings of many classes by cause: what has one law and one text is one cause, wherever it was found."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from scaffold.errors import shown

SEVERITIES = ("fault", "cost", "style")
MAX_PLACES = 3
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
    def lines(self) -> tuple[str, ...]:
        """The cause with its count, up to three places, and what mends it."""
        one, count = self.first, len(self.places)
        times = f" ({count} times)" if count > 1 else ""
        head = f"  {one['severity']:5} {one['law']} {one['name']}{times}: {on_a_line(one['what'])}"
        more = f" and {count - MAX_PLACES} more" if count > MAX_PLACES else ""
        places = f"        at {'; '.join(self.places[:MAX_PLACES])}{more}"
        hint = [f"        look for: {on_a_line(one['hint'])}"] if one["hint"] else []
        return (head, places, *hint, f"        fix: {one['fix']}")


def causes_of(findings: Iterable[tuple[str, Finding]]) -> list[Cause]:
    """The causes of findings, each with its class: the gravest first, then the one that was found most often."""
    first: dict[tuple[str, str, str], Finding] = {}
    places: dict[tuple[str, str, str], dict[str, None]] = {}
    for label, finding in findings:
        key = finding["severity"], finding["law"], _VARIES.sub("_", on_a_line(finding["what"]))
        first.setdefault(key, finding)
        places.setdefault(key, {})[f"{label}, `{finding['where']}`"] = None
    causes = [Cause(first[key], tuple(places[key])) for key in first]
    return sorted(causes, key=lambda one: (SEVERITIES.index(one.first["severity"]), -len(one.places)))


def cause_lines(causes: Sequence[Cause], most: int) -> Iterator[str]:
    """The causes, line by line, up to so many lines; then how many more there are."""
    left, told = most, 0
    for cause in causes:
        if len(cause.lines) > left:
            break
        yield from cause.lines
        left, told = left - len(cause.lines), told + 1
    if told < len(causes):
        yield f"  {len(causes) - told} more causes: `--report FILE.md` writes all, and `--json` prints them"


def on_a_line(text: str) -> str:
    """A text in one line, without addresses of objects and folders of installed packages.

    What jax says in several lines has its cause in the later ones.
    """
    plain = _INSTALLED.sub("", _ADDRESS.sub("", " ".join(text.split())))
    return shown(plain, _LONGEST)
