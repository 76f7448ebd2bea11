"""Locations of keys in a TOML text, since tomllib returns values without places.

tomllib has read the text before, so it is valid, and nothing here looks for faults.
"""

import re
import tomllib
from bisect import bisect_right
from collections.abc import Mapping
from typing import Any, cast

Path = tuple[str, ...]
Location = tuple[int, int]
"""Line and column, both from 1."""
Locations = Mapping[Path, Location]

_SPACE = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_STRING = re.compile(
    r'(?s)"""(?:\\.|(?!""").)*"""(?:"{0,2})|'
    r"'''(?:(?!''').)*'''(?:'{0,2})|"
    r'"(?:\\.|[^"\\])*"|'
    r"'[^']*'"
)
_NAME = rf"[ \t]*(?:{_STRING.pattern[4:]}|[A-Za-z0-9_-]+)[ \t]*"
_KEY = re.compile(rf"{_NAME}(?:\.{_NAME})*")
_PLAIN = re.compile(r"[^,\]}#\n]*")


def key_locations(text: str) -> dict[Path, Location]:
    """Return the location of each key by its path. Elements of an array are keys by index."""
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    offsets = _Scanner(text).document()
    lines = {path: bisect_right(starts, offset) for path, offset in offsets.items()}
    return {path: (lines[path], offset - starts[lines[path] - 1] + 1) for path, offset in offsets.items()}


class _Scanner:
    """A scanner that walks through a valid document and notes where keys begin."""

    def __init__(self, text: str):
        self.text, self.at = text, 0
        self.found: dict[Path, int] = {}
        self.tables: dict[Path, int] = {}
        """The number of the last table of each array of tables."""

    def document(self) -> dict[Path, int]:
        table: Path = ()
        self.skip(_SPACE)
        while self.at < len(self.text):
            table = self.header() if self.text[self.at] == "[" else self.entry(table)
            self.skip(_SPACE)
        return self.found

    def skip(self, pattern: re.Pattern[str]) -> re.Match[str]:
        match = pattern.match(self.text, self.at)
        assert match is not None
        self.at = match.end()
        return match

    def header(self) -> Path:
        """Read `[a.b]` or `[[a.b]]`, and return the path of the table that follows."""
        start, brackets = self.at, 1 + self.text.startswith("[[", self.at)
        self.at += brackets
        written = self.key()
        self.at = self.text.index("]", self.at) + brackets
        if brackets == 2:
            array = self.resolved(written[:-1]) + written[-1:]
            self.note(array, start)
            self.tables[array] = self.tables.get(array, -1) + 1
        path = self.resolved(written)
        self.note(path, start)
        return path

    def resolved(self, written: Path) -> Path:
        """Return a path in which the index of the last table follows each array of tables."""
        path: Path = ()
        for part in written:
            path = (*path, part)
            path = (*path, str(self.tables[path])) if path in self.tables else path
        return path

    def note(self, path: Path, offset: int) -> None:
        for length in range(1, len(path) + 1):
            self.found.setdefault(path[:length], offset)

    def entry(self, table: Path) -> Path:
        """Read `key = value` in a table, and return the path of that table."""
        start = self.at
        path = (*table, *self.key())
        self.note(path, start)
        self.at = self.text.index("=", self.at) + 1
        self.skip(_SPACE)
        self.value(path)
        return table

    def key(self) -> Path:
        """Read a dotted key, and return its parts."""
        inner: Any = tomllib.loads(f"{self.skip(_KEY)[0]} = 0")
        parts: Path = ()
        while isinstance(inner, dict):
            [(part, inner)] = cast("dict[str, Any]", inner).items()
            parts = (*parts, part)
        return parts

    def value(self, path: Path) -> None:
        letter = self.text[self.at]
        self.at += letter in "[{"
        if letter == "[":
            count = 0
            while self.begins("]"):
                self.note((*path, str(count)), self.at)
                self.value((*path, str(count)))
                count += 1
        elif letter == "{":
            while self.begins("}"):
                self.entry(path)
        else:
            self.skip(_STRING if letter in "\"'" else _PLAIN)

    def begins(self, end: str) -> bool:
        """Skip commas, and return whether another part begins before `end`."""
        self.skip(_SPACE)
        while self.text.startswith(",", self.at):
            self.at += 1
            self.skip(_SPACE)
        is_end = self.text.startswith(end, self.at)
        self.at += is_end
        return not is_end


def location_of(key: str, named: str, locations: Locations) -> Location:
    """Return the location of `named` in `key`, else of `key`, else of the nearest key above.

    `key` is written with dots.
    """
    by_text = {".".join(path): location for path, location in locations.items()}
    inner = f"{key}.{named}" if key else named
    if inner in by_text:
        return by_text[inner]
    while key and key not in by_text:
        key = key.rpartition(".")[0]
    return by_text.get(key, (1, 1))
