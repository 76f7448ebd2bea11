"""What the tool wants on disk, and the plan that says what publishing it would do.

Nothing here writes. `make_plan` reads the disk once; `scaffold.publish` carries the plan out.
"""

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import reduce
from io import StringIO
from itertools import accumulate, zip_longest
from pathlib import Path, PurePosixPath

from scaffold.errors import Fault, ScaffoldError

_FORCE_OR_RENAME = "--force overwrites, --diff shows the difference; or rename"


@dataclass(frozen=True, order=True)
class File:
    """A file the tool wants to exist, with `text` as its content in UTF-8.

    `path` is relative to the project's root and stays inside it. With `keep`, the file is created when absent, and
    whatever is already there is left alone.
    """

    path: PurePosixPath
    text: str
    keep: bool = False

    def __post_init__(self) -> None:
        _check_path(self.path)
        _check_text(self.path, self.text)

    @property
    def content(self) -> bytes:
        """The bytes to be written."""
        return self.text.encode()


@dataclass(frozen=True)
class Edit:
    """An edit of an existing or new file by a pure, idempotent function on its bytes.

    `apply` gets `b""` where the file is absent; where it gives `b""` back, the file stays absent.
    """

    path: PurePosixPath
    apply: Callable[[bytes], bytes]

    def __post_init__(self) -> None:
        _check_path(self.path)


class Action(StrEnum):
    """What publishing does to one path."""

    CREATE = "create"
    IDENTICAL = "identical"
    UPDATE = "update"
    CONFLICT = "conflict"
    KEEP = "keep"


@dataclass(frozen=True)
class Step:
    """One path of a plan: its bytes on disk `before` and wanted `after`, None where there is no file.

    A kept path is not looked into: both are None.
    """

    path: PurePosixPath
    action: Action
    before: bytes | None
    after: bytes | None


@dataclass(frozen=True)
class Plan:
    """What publishing would do below `root`, in order of path."""

    root: Path
    steps: tuple[Step, ...]
    notes: tuple[str, ...] = ()
    """What is to be known besides: what was found out, and left out."""
    commands: tuple[tuple[str, ...], ...] = ()
    """What is run in `root` before anything is published."""

    @property
    def conflicts(self) -> tuple[Step, ...]:
        """The steps that would overwrite something the tool did not write."""
        return tuple(step for step in self.steps if step.action is Action.CONFLICT)

    @property
    def writes(self) -> tuple[Step, ...]:
        """The steps that change the disk."""
        return tuple(step for step in self.steps if step.action in (Action.CREATE, Action.UPDATE))

    def refuse_conflicts(self) -> None:
        """Raise a `ScaffoldError` that lists every conflict, if there is one."""
        what = "exists, and differs from what would be written"
        faults = [Fault(str(step.path), what, _FORCE_OR_RENAME) for step in self.conflicts]
        if faults:
            raise ScaffoldError.of(faults, exit_code=1)

    def diff(self) -> str:
        """A unified diff of everything that would be, or was asked to be, created or changed."""
        shown = (Action.CREATE, Action.UPDATE, Action.CONFLICT)
        return "".join(_diff(step) for step in self.steps if step.action in shown)

    def summary(self) -> str:
        """One aligned line a step: what is done to which path."""
        width = max(map(len, Action))
        lines = [f"{step.action:<{width}}  {step.path}" for step in self.steps]
        lines += [f"{'run':<{width}}  {' '.join(command)}" for command in self.commands]
        return "\n".join([*lines, *(f"{'note':<{width}}  {note}" for note in self.notes)])

    def to_json(self) -> dict[str, object]:
        """The plan as plain JSON, the same on every machine."""
        return {
            "files": [{"path": str(step.path), "action": str(step.action)} for step in self.steps],
            "commands": [list(command) for command in self.commands],
            "notes": list(self.notes),
        }


def make_plan(root: Path, files: Iterable[File | Edit], *, force: bool = False) -> Plan:
    """Compare what is wanted with what is on disk.

    A wanted file that exists with other content is a conflict, or with `force` an update; an edit is never a conflict,
    since it starts from what is there. Line endings do not count as a difference.

    Raises `ScaffoldError`, listing everything at once, where two requests contradict each other (exit code 2), or
    where something on disk is in the way (exit code 1).
    """
    wanted = _merge(files)
    real_root = Path(os.path.realpath(root))
    steps: list[Step] = []
    faults: list[Fault] = []
    for path, requests in sorted(wanted.items()):
        try:
            steps.append(_step(real_root, path, requests, force=force))
        except ScaffoldError as error:
            faults.extend(error.faults)
    faults.extend(_aliases(real_root, steps))
    if faults:
        raise ScaffoldError.of(faults, exit_code=1)
    return Plan(root, tuple(steps))


def place_of(root: Path, path: PurePosixPath) -> Path:
    """The real place of `path` below `root`, through any symbolic links, the last included; `root` is a real path.

    Raises `ScaffoldError` where it lies outside `root`, or a file is where a folder is needed.
    """
    place = _real_place(root, path)
    if os.path.isdir(os.path.dirname(os.path.join(root, path))):
        return place
    for above in path.parents:
        if os.path.lexists(root / above) and not os.path.isdir(root / above):
            raise _refused(path, f"`{above}` is not a folder", f"move `{above}` away, or write elsewhere")
    return place


def _real_place(root: Path, path: PurePosixPath) -> Path:
    """As `os.path.realpath`, in a fraction of its time: `root` is real, so that links can only be below it."""
    ways = accumulate(path.parts, os.path.join, initial=str(root))
    if not any(map(os.path.islink, ways)):
        return root / path
    place = Path(os.path.realpath(root / path))
    if not place.is_relative_to(root):
        what = f"a symbolic link leads out of the project, to {place}"
        raise _refused(path, what, "remove the link, or write to another path")
    return place


def read_place(path: PurePosixPath, place: Path) -> bytes | None:
    """The bytes at `place`, or None where nothing is; `path` names it in errors."""
    try:
        mode = os.stat(place).st_mode
        # A pipe or a device is refused unopened: opening one can block for ever.
        if stat.S_ISREG(mode):
            return place.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        reason = error.strerror or str(error)
        raise _refused(path, f"cannot be read: {reason}", "make it readable, or move it away") from error
    kind = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
    raise _refused(path, f"is {kind}, where a file is to be written", "move it away, or choose another name")


def _refused(path: PurePosixPath, what: str, fix: str) -> ScaffoldError:
    return ScaffoldError(what, where=str(path), fix=fix, exit_code=1)


# -- what may be asked for ---------------------------------------------------------------------------------------------


def _check_path(path: PurePosixPath) -> None:
    if path.is_absolute() or ".." in path.parts or not path.parts:
        raise ScaffoldError(
            "is not a path inside the project", where=str(path), fix="give a path below the root"
        )
    # A backslash or a colon would mean another place on Windows, a control character another name on a terminal.
    if bad := sorted({c for c in str(path) if c in '\\:*?"<>|' or not c.isprintable()}):
        raise ScaffoldError(f"a path cannot hold {bad[0]!r}", where=str(path), fix="leave that character out")


def _check_text(path: PurePosixPath, text: str) -> None:
    if "\r" in text:
        raise ScaffoldError("the text has carriage returns", where=str(path), fix='end lines in "\\n" alone')
    try:
        text.encode()
    except UnicodeEncodeError as error:
        what = f"the text cannot be written as UTF-8: {text[error.start]!a} at offset {error.start}"
        raise ScaffoldError(what, where=str(path), fix="remove that character") from error


def _merge(files: Iterable[File | Edit]) -> dict[PurePosixPath, list[File | Edit]]:
    """The requests by path, each path with at most one `File`, which comes first."""
    wanted: dict[PurePosixPath, list[File | Edit]] = {}
    for request in files:
        wanted.setdefault(request.path, []).append(request)
    faults = [*_collisions(wanted)]
    for path, requests in wanted.items():
        texts = [request for request in requests if isinstance(request, File)]
        edits = [request for request in requests if isinstance(request, Edit)]
        faults.extend(_contradictions(path, texts, edits))
        # Asked for strictly by one and leniently by another, a file is wanted strictly.
        wanted[path] = [*sorted(texts)[:1], *edits]
    if faults:
        raise ScaffoldError.of(faults)
    return wanted


def _contradictions(path: PurePosixPath, texts: Sequence[File], edits: Sequence[Edit]) -> Iterator[Fault]:
    different = sorted({file.text for file in texts})
    if len(different) > 1:
        what = f"is asked for twice, with different texts: {_difference(*different[:2])}"
        yield Fault(str(path), what, "give one of the two another name")
    if edits and any(not file.keep for file in texts):
        yield Fault(str(path), "is asked for as a whole file and as an edit", "ask for one of the two")


def _difference(one: str, other: str) -> str:
    """A place by which the author can tell the two texts apart."""
    pairs = enumerate(zip_longest(one.split("\n"), other.split("\n"), fillvalue="(end)"), start=1)
    number, (first, second) = next(numbered for numbered in pairs if len({*numbered[1]}) > 1)
    return f"line {number} is `{first}` in one and `{second}` in the other"


def _collisions(paths: Iterable[PurePosixPath]) -> Iterator[Fault]:
    """Pairs that a case-insensitive file system takes for one file, and files that others need as a folder."""
    folded: dict[str, PurePosixPath] = {}
    for path in sorted(paths):
        other = folded.setdefault(str(path).casefold(), path)
        if other != path:
            what = f"is the same file as `{other}` where case does not count (macOS, Windows)"
            yield Fault(str(path), what, "rename one of the two")
    for path in folded.values():
        for above in path.parents:
            if other := folded.get(str(above).casefold()):
                yield Fault(
                    str(path), f"needs `{other}` as a folder, which is to be a file", "rename one of the two"
                )


# -- what is there -----------------------------------------------------------------------------------------------------


def _step(root: Path, path: PurePosixPath, requests: Sequence[File | Edit], *, force: bool) -> Step:
    match requests:
        case [File(keep=True)] if os.path.lexists(root / path):
            return Step(path, Action.KEEP, None, None)
        case [File() as file]:
            return _file_step(file, read_place(path, place_of(root, path)), force=force)
        case [File() as file, *edits]:
            return _edit_step(path, read_place(path, place_of(root, path)), edits, file.content)
        case edits:
            return _edit_step(path, read_place(path, place_of(root, path)), edits, None)


def _file_step(file: File, before: bytes | None, *, force: bool) -> Step:
    if before is None:
        return Step(file.path, Action.CREATE, None, file.content)
    if before.replace(b"\r\n", b"\n") == file.content:  # as git checks it out with autocrlf
        return Step(file.path, Action.IDENTICAL, before, before)
    return Step(file.path, Action.UPDATE if force else Action.CONFLICT, before, file.content)


def _edit_step(
    path: PurePosixPath, before: bytes | None, requests: Sequence[File | Edit], absent: bytes | None
) -> Step:
    """The edits in order, on what is there, or else on `absent`, where that is to be created at all events."""
    edits = [request for request in requests if isinstance(request, Edit)]
    after = reduce(
        lambda content, edit: edit.apply(content), edits, (absent or b"") if before is None else before
    )
    if after == before or (before is absent is None and not after):
        return Step(path, Action.IDENTICAL, before, before)
    return Step(path, Action.CREATE if before is None else Action.UPDATE, before, after)


def _aliases(root: Path, steps: Iterable[Step]) -> Iterator[Fault]:
    """Paths that symbolic links make one file: the one written last would win."""
    owners: dict[Path, PurePosixPath] = {}
    for step in steps:
        if step.action is Action.KEEP:
            continue
        other = owners.setdefault(_real_place(root, step.path), step.path)
        if other != step.path:
            yield Fault(
                str(step.path), f"is the same file as `{other}`, by a symbolic link", "remove the link"
            )


# -- how it is shown ---------------------------------------------------------------------------------------------------


def _diff(step: Step) -> str:
    if b"\0" in (step.before or b"") + (step.after or b""):
        return f"Binary files a/{step.path} and b/{step.path} differ\n"
    import difflib  # here, because only `--diff` needs it

    source = "/dev/null" if step.before is None else f"a/{step.path}"
    lines = difflib.unified_diff(_lines(step.before), _lines(step.after), source, f"b/{step.path}")
    return "".join(map(_marked, lines))


def _lines(content: bytes | None) -> list[str]:
    # What is not UTF-8 is shown escaped, so that it prints anywhere; StringIO splits at "\n" alone, as git does.
    return list(StringIO((content or b"").decode(errors="backslashreplace")))


def _marked(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
