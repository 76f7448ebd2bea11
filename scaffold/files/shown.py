"""How a plan is shown: a line for each path, and a unified diff of a file, as git shows it."""

from collections.abc import Iterable, Iterator
from io import StringIO

from msgspec import Struct

_ACTIONS = ("update", "remove", "create", "identical", "keep")
"""What says most of a folder comes first."""


class Line(Struct, frozen=True):
    """What a plan shows of a file, or of a folder whose files are shown as one, with their number."""

    path: str
    action: str
    files: int = 0

    @property
    def told(self) -> str:
        """The path, and of a folder the number of its files."""
        return f"{self.path} ({counted_files(self.files)})" if self.files else self.path

    def to_json(self) -> dict[str, object]:
        """The line as plain JSON."""
        entry: dict[str, object] = {"path": self.path, "action": str(self.action)}
        return entry | ({"files": self.files} if self.files else {})


def counted_files(files: int) -> str:
    """So many files, in words."""
    return f"{files} file{'s' * (files != 1)}"


def summed(lines: Iterable[Line], same: str) -> Iterator[tuple[str, str]]:
    """What is done to which path; of those with the action `same` their number alone, below the others."""
    every = [*lines]
    yield from ((line.action, line.told) for line in every if line.action != same)
    if files := sum(line.files or 1 for line in every if line.action == same):
        yield same, counted_files(files)


def folder_line(folder: str, actions: Iterable[str], files: int) -> Line:
    """The line of a folder that is to hold so many files, and what is done to each of those there are."""
    return Line(folder, min(actions, key=_ACTIONS.index), files)


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
