"""How a plan is shown: a line for each path, and a unified diff of a file, as git shows it."""

from collections.abc import Iterable
from dataclasses import dataclass
from io import StringIO


@dataclass(frozen=True)
class Line:
    """What a plan shows of a file, or of a folder that is copied as a whole, with the number of its files."""

    path: str
    action: str
    files: int = 0
    edited: tuple[str, ...] = ()
    """The files of the folder that somebody has edited; it stays as it is."""

    @property
    def told(self) -> str:
        """The path, and what is to be said of a folder."""
        if self.edited:
            return f"{self.path} ({', '.join(self.edited)}: left as it is, --force replaces it)"
        return f"{self.path} ({self.files} files)" if self.files else self.path

    def to_json(self) -> dict[str, object]:
        """The line as plain JSON."""
        entry: dict[str, object] = {"path": self.path, "action": str(self.action)}
        entry |= {"files": self.files} if self.files else {}
        return entry | ({"edited": list(self.edited)} if self.edited else {})


def diff_of(path: object, before: bytes | None, after: bytes | None) -> str:
    """What a change of the bytes at `path` looks like; None stands for no file."""
    if b"\0" in (before or b"") + (after or b""):
        return f"Binary files a/{path} and b/{path} differ\n"
    import difflib  # here, because only `--diff` needs it

    source = "/dev/null" if before is None else f"a/{path}"
    lines: Iterable[str] = difflib.unified_diff(_lines(before), _lines(after), source, f"b/{path}")
    return "".join(map(_marked, lines))


def _lines(content: bytes | None) -> list[str]:
    # What is not UTF-8 is shown escaped, so that it prints anywhere; StringIO splits at "\n" alone, as git does.
    return list(StringIO((content or b"").decode(errors="backslashreplace")))


def _marked(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
