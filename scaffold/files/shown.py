"""Display of a plan: a line for each path, and unified diffs like git's."""

from collections.abc import Iterable, Iterator
from io import StringIO

from msgspec import Struct

_ACTIONS = ("update", "remove", "create", "identical", "keep")
"""Actions by priority, of which a folder shows the first that any of its files has."""


class Line(Struct, frozen=True):
    """A line of a plan's summary, for a file, or for a folder and the number of its files."""

    path: str
    action: str
    files: int = 0

    @property
    def told(self) -> str:
        """Path, with the number of files for a folder."""
        return f"{self.path} ({counted_files(self.files)})" if self.files else self.path

    def to_json(self) -> dict[str, object]:
        """Return the line as plain JSON."""
        entry: dict[str, object] = {"path": self.path, "action": str(self.action)}
        return entry | ({"files": self.files} if self.files else {})


def counted_files(files: int) -> str:
    """Return the number in words, such as `2 files`."""
    return f"{files} file{'s' * (files != 1)}"


def summed(lines: Iterable[Line], same: str) -> Iterator[tuple[str, str]]:
    """Yield actions and paths, except for the action `same`, whose files are counted at the end."""
    every = [*lines]
    yield from ((line.action, line.told) for line in every if line.action != same)
    if files := sum(line.files or 1 for line in every if line.action == same):
        yield same, counted_files(files)


def folder_line(folder: str, actions: Iterable[str], files: int) -> Line:
    """Return the line of a folder with that number of files, by the most telling of their actions."""
    return Line(folder, min(actions, key=_ACTIONS.index), files)


def diff_of(path: object, before: bytes | None, after: bytes | None) -> str:
    """Return a unified diff of the bytes at `path`. None stands for no file."""
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
