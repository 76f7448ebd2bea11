"""Where each key of a TOML text stands: tomllib tells values, and no places.

The text has been read by tomllib before, so it is valid, and a scanner need not look for faults.
"""

import re
from collections.abc import Mapping

from msgspec import Struct, field

Position = tuple[int, int]
"""Line and column, both from 1."""
Positions = Mapping[tuple[str, ...], Position]

_SPACE = r"(?:[ \t\r\n]|#[^\n]*)*"
_BLANK = r"[ \t]*"
_BARE = r"[A-Za-z0-9_-]+"
_PLAIN = r"[^,\]}#\n]*"
_STRINGS = (
    r'(?s)"""(?:\\.|(?!""").)*"""("{0,2})',
    r"(?s)'''(?:(?!''').)*'''('{0,2})",
    r'"(?:\\.|[^"\\])*"',
    r"'[^']*'",
)
_ESCAPE = r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))"
_ESCAPED = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", '"': '"', "\\": "\\", "e": "\x1b"}


def key_positions(text: str) -> dict[tuple[str, ...], Position]:
    """The place of each key by its path; the parts of an array are keys by their number."""
    scanner = _Scanner(text)
    scanner.document()
    starts = _line_starts(text)
    return {path: _position(offset, starts) for path, offset in scanner.found.items()}


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer("\n", text))]


def _position(offset: int, starts: list[int]) -> Position:
    from bisect import bisect_right

    line = bisect_right(starts, offset)
    return line, offset - starts[line - 1] + 1


class _Scanner(Struct):
    """Walks through a valid document and notes where keys begin."""

    text: str
    at: int = 0
    found: dict[tuple[str, ...], int] = field(default_factory=dict[tuple[str, ...], int])
    tables: dict[tuple[str, ...], int] = field(default_factory=dict[tuple[str, ...], int])
    """How many tables an array of tables has so far."""

    def document(self) -> None:
        table: tuple[str, ...] = ()
        self.skip(_SPACE)
        while self.at < len(self.text):
            if self.text[self.at] == "[":
                table = self.header()
            else:
                self.entry(table)
            self.skip(_SPACE)

    def skip(self, pattern: str) -> str:
        match = re.compile(pattern).match(self.text, self.at)
        assert match is not None
        self.at = match.end()
        return match[0]

    def header(self) -> tuple[str, ...]:
        """`[a.b]` or `[[a.b]]`: the path of the table that follows."""
        start, several = self.at, self.text.startswith("[[", self.at)
        self.at += 2 if several else 1
        written = self.key()
        self.at = self.text.index("]", self.at) + (2 if several else 1)
        path = self.resolved(written[:-1]) + written[-1:]
        self.note(path, start)
        if several:
            self.tables[path] = self.tables.get(path, -1) + 1
        path = self.resolved(written)
        self.note(path, start)
        return path

    def resolved(self, written: tuple[str, ...]) -> tuple[str, ...]:
        """The path of a table, with the number of the last one where there is an array of them."""
        path: tuple[str, ...] = ()
        for part in written:
            path = (*path, part)
            if path in self.tables:
                path = (*path, str(self.tables[path]))
        return path

    def note(self, path: tuple[str, ...], offset: int) -> None:
        for length in range(1, len(path) + 1):
            self.found.setdefault(path[:length], offset)

    def entry(self, table: tuple[str, ...]) -> None:
        """`key = value`."""
        start = self.at
        path = (*table, *self.key())
        self.note(path, start)
        self.at = self.text.index("=", self.at) + 1
        self.skip(_BLANK)
        self.value(path)

    def key(self) -> tuple[str, ...]:
        """The parts of a dotted key."""
        parts: list[str] = []
        while True:
            self.skip(_BLANK)
            parts.append(self.part())
            self.skip(_BLANK)
            if not self.text.startswith(".", self.at):
                return tuple(parts)
            self.at += 1

    def part(self) -> str:
        letter = self.text[self.at]
        if letter == "'":
            return self.skip(_STRINGS[3])[1:-1]
        if letter == '"':
            return re.sub(_ESCAPE, _unescaped, self.skip(_STRINGS[2])[1:-1])
        return self.skip(_BARE)

    def value(self, path: tuple[str, ...]) -> None:
        letter = self.text[self.at]
        if letter == "[":
            self.items(path)
        elif letter == "{":
            self.inline(path)
        elif letter in "\"'":
            self.skip(next(one for one in _STRINGS if re.compile(one).match(self.text, self.at)))
        else:
            self.skip(_PLAIN)

    def items(self, path: tuple[str, ...]) -> None:
        self.at += 1
        count = 0
        while self.beginning("]"):
            self.note((*path, str(count)), self.at)
            self.value((*path, str(count)))
            count += 1

    def inline(self, path: tuple[str, ...]) -> None:
        self.at += 1
        while self.beginning("}"):
            self.entry(path)

    def beginning(self, end: str) -> bool:
        """Whether another part begins here; commas and the end are passed over."""
        self.skip(_SPACE)
        while self.text.startswith(",", self.at):
            self.at += 1
            self.skip(_SPACE)
        if self.text.startswith(end, self.at):
            self.at += 1
            return False
        return True


def _unescaped(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    return chr(int(code, 16)) if code else _ESCAPED[match[3]]


def position_of(key: str, named: str, positions: Positions) -> Position:
    """The place of the key, written with dots; of what is `named` in it, if it is a key there; else of the nearest above."""
    by_text = {".".join(path): position for path, position in positions.items()}
    inner = f"{key}.{named}" if key else named
    if inner in by_text:
        return by_text[inner]
    while key and key not in by_text:
        key = key.rpartition(".")[0]
    return by_text.get(key, (1, 1))
