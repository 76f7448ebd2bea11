"""How a plan is shown: a line for each path, and a unified diff of a file, as git shows it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from io import StringIO

from scaffold.errors import Fault

_MOST_NAMES = 3
_FORCE = "--force replaces it"
_ACTIONS = ("conflict", "update", "remove", "create", "identical", "keep")
"""What says most of a folder comes first."""


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
            return f"{self.path} (edited: {self._edited}; left as it is, {_FORCE})"
        return f"{self.path} ({self.files} file{'s' * (self.files > 1)})" if self.files else self.path

    @property
    def _edited(self) -> str:
        more = len(self.edited) - _MOST_NAMES
        return ", ".join(self.edited[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")

    def fault(self) -> Fault:
        """What is to be said of a folder that was edited, where a run fails."""
        return Fault(self.path, f"was edited, and is left as it is: {self._edited}", _FORCE)

    def to_json(self) -> dict[str, object]:
        """The line as plain JSON."""
        entry: dict[str, object] = {"path": self.path, "action": str(self.action)}
        entry |= {"files": self.files} if self.files else {}
        return entry | ({"edited": list(self.edited)} if self.edited else {})


def folder_line(folder: str, actions: Mapping[str, str], files: int) -> Line:
    """The line of a folder that is to hold so many files, and what is done to each of those there are."""
    edited = tuple(name for name, action in actions.items() if action == "conflict")
    return Line(folder, min(actions.values(), key=_ACTIONS.index), files, edited)


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
