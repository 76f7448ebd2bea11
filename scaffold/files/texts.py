"""The texts of files, whatever ends their lines: compared and merged with `\\n`, and written back as they were."""

import re
from io import StringIO

from msgspec import Struct

_BOM = "\ufeff"
_MARKERS = r"(?ms)^<{7} .*?^={7}$.*?^>{7} "


class Text(Struct, frozen=True):
    """A text whose lines end in `\\n`, and how it was written."""

    text: str
    newline: str = "\n"
    bom: str = ""

    @classmethod
    def of(cls, content: bytes) -> "Text | None":
        """The text of a file, None where it is no UTF-8, or ends its lines in several ways."""
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
        """The bytes of the file."""
        return (self.bom + self.text.replace("\n", self.newline)).encode()

    def with_text(self, text: str) -> bytes:
        """The bytes of a file with another text, written as this one is."""
        return Text(text, self.newline, self.bom).content


class Merged(Struct, frozen=True):
    """What three texts give, and in how many places both sides stand between markers."""

    text: str
    collisions: int


def has_markers(text: str) -> bool:
    """Whether there is a place in which two sides of a merge stand, one below the other."""
    return re.search(_MARKERS, text) is not None


def lines_of(text: str) -> list[str]:
    """The lines with their ends. `\n` alone ends one: a form feed in Python does not."""
    return list(StringIO(text))
