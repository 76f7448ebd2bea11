"""Rules for requested paths and texts: inside the project, portable, and in UTF-8."""

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from pathlib import PurePosixPath

from scaffold.errors import Fault, ScaffoldError


def check_path(path: PurePosixPath) -> None:
    """Raise `ScaffoldError` for a path outside the project, or with a meaning that depends on the system."""
    if path.is_absolute() or ".." in path.parts or not path.parts:
        raise ScaffoldError(
            "is not a path inside the project", where=str(path), fix="give a path below the root"
        )
    # A backslash or a colon would mean another place on Windows, a control character another name on a terminal.
    if bad := sorted({c for c in str(path) if c in '\\:*?"<>|' or not c.isprintable()}):
        raise ScaffoldError(f"a path cannot hold {bad[0]!r}", where=str(path), fix="leave that character out")


def check_text(path: PurePosixPath, text: str) -> None:
    """Raise `ScaffoldError` for carriage returns and for text that UTF-8 cannot encode."""
    if "\r" in text:
        raise ScaffoldError("the text has carriage returns", where=str(path), fix='end lines in "\\n" alone')
    try:
        text.encode()
    except UnicodeEncodeError as error:
        message = f"the text cannot be written as UTF-8: {text[error.start]!a} at offset {error.start}"
        raise ScaffoldError(message, where=str(path), fix="remove that character") from error


def difference(text: str, other: str) -> str:
    """Describe the first line in which two texts differ."""
    pairs = enumerate(zip_longest(text.split("\n"), other.split("\n"), fillvalue="(end)"), start=1)
    number, (first, second) = next(numbered for numbered in pairs if len({*numbered[1]}) > 1)
    return f"line {number} is `{first}` in one and `{second}` in the other"


def collisions(paths: Iterable[PurePosixPath]) -> Iterator[Fault]:
    """Find paths that differ only in case, and files that other paths need as a folder."""
    folded: dict[str, PurePosixPath] = {}
    for path in sorted(paths):
        other = folded.setdefault(str(path).casefold(), path)
        if other != path:
            message = f"is the same file as `{other}` where case does not count (macOS, Windows)"
            yield Fault(str(path), message, "rename one of the two")
    for path in folded.values():
        for above in path.parents:
            if other := folded.get(str(above).casefold()):
                message = f"needs `{other}` as a folder, which is to be a file"
                yield Fault(str(path), message, "rename one of the two")
