r"""Texts with `\n` line ends for comparing and merging, written back with their original line ends."""

import re
from io import StringIO

from msgspec import Struct

_BOM = "\ufeff"
_MARKERS = r"(?ms)^<{7} .*?^={7}$.*?^>{7} "


class Text(Struct, frozen=True):
    r"""Text with `\n` line ends, and its original line ends and byte order mark."""

    text: str
    newline: str = "\n"
    bom: str = ""

    @classmethod
    def of(cls, content: bytes) -> "Text | None":
        """Decode a file, or return None if it is not UTF-8 or mixes line ends."""
        try:
            text = content.decode()
        except UnicodeDecodeError:
            return None
        bom = _BOM if text.startswith(_BOM) else ""
        plain = text.removeprefix(bom).replace("\r\n", "\n")
        newline = "\r\n" if "\r\n" in text else "\n"
        decoded = cls(plain, newline, bom)
        return decoded if decoded.content == content else None

    @property
    def content(self) -> bytes:
        """Bytes of the file."""
        return (self.bom + self.text.replace("\n", self.newline)).encode()

    def with_text(self, text: str) -> bytes:
        """Encode another text with the same line ends and byte order mark."""
        return Text(text, self.newline, self.bom).content


class Merged(Struct, frozen=True):
    """Merged text, and its number of places with both sides between markers."""

    text: str
    collisions: int


def has_markers(text: str) -> bool:
    """Whether the text has conflict markers around both sides of a merge."""
    return re.search(_MARKERS, text) is not None


def lines_of(text: str) -> list[str]:
    r"""Split the text into lines with their ends.

    Only `\n` ends a line, since Python code may hold form feeds.
    """
    return list(StringIO(text))
