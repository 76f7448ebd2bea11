"""Wanted files, and a plan of the changes that publishing them makes.

Nothing here writes. `make_plan` reads the disk, and `scaffold.publish` carries the plan out.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from functools import partial, reduce
from pathlib import Path, PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from scaffold.errors import Fault, ScaffoldError
from scaffold.files.path_rules import check_path, check_text, collisions, difference
from scaffold.files.places import Places, read_place, refused
from scaffold.files.shown import Line, diff_of, folder_line, summed

_DIFFERS = "exists, and differs from what would be written"
SOLVE = "take one side of each, or make one of both, and delete the markers"
_FORCE_OR_RENAME = "--force overwrites, --diff shows the difference; or rename"


class File(Struct, frozen=True, order=True):
    """Wanted file, with `text` as its content in UTF-8.

    `path` is relative to the project's root and stays inside it. With `keep`, an existing file is left alone.
    """

    path: PurePosixPath
    text: str
    keep: bool = False

    def __post_init__(self) -> None:
        check_path(self.path)
        check_text(self.path, self.text)

    @property
    def content(self) -> bytes:
        """Bytes to write."""
        return self.text.encode()


class Edit(Struct, frozen=True):
    """Pure, idempotent edit of a file's bytes.

    If the file is absent, `apply` gets `b""`. If it returns `b""` then, the file stays absent.
    """

    path: PurePosixPath
    apply: Callable[[bytes], bytes]

    def __post_init__(self) -> None:
        check_path(self.path)


class Action(StrEnum):
    """Effect of publishing on a path."""

    CREATE = "create"
    IDENTICAL = "identical"
    UPDATE = "update"
    MERGE = "merge"
    COLLIDE = "collide"
    CONFLICT = "conflict"
    KEEP = "keep"
    REMOVE = "remove"


_WRITING = (Action.CREATE, Action.UPDATE, Action.MERGE, Action.COLLIDE, Action.REMOVE)


class Step(Struct, frozen=True):
    """Path of a plan, with its bytes on disk `before` and its wanted bytes `after`. None stands for no file.

    A kept path is not read, so both are None. With `folder`, the summary shows only that folder.
    """

    path: PurePosixPath
    action: Action
    before: bytes | None
    after: bytes | None
    requests: tuple["Request", ...] = ()
    """Requests for the path, from which `refresh` derives the step again."""
    folder: PurePosixPath | None = None
    why: str = ""
    """Cause of a conflict, unless it is a difference of contents."""
    fix: str = ""
    """Fix for a conflict, unless it is the remedy of the plan."""
    forced: bool = False
    """Whether `--force` makes the step replace or remove something that the tool did not write."""
    like: PurePosixPath | None = None
    """File from which a new file takes its permission bits."""
    state: str = ""
    """State of a generated file, a value of `history.states.State`."""

    @property
    def asked(self) -> str:
        """Text of the requested file, or an empty text."""
        return next((request.text for request in self.requests if isinstance(request, File)), "")

    def fault(self, remedy: str) -> Fault:
        """Return the fault that reports the step as a conflict."""
        return Fault(str(self.path), self.why or _DIFFERS, self.fix or remedy)


class Blob(Struct, frozen=True):
    """Wanted binary file. `replaces` chooses the action from the bytes on disk and the new content."""

    path: PurePosixPath
    content: bytes
    replaces: Callable[[bytes, bytes], Action]

    def step(self, before: bytes | None, *, force: bool) -> Step:
        """Return the step for the path, whose content on disk is `before`."""
        if before is None:
            return Step(self.path, Action.CREATE, None, self.content)
        action = Action.IDENTICAL if before == self.content else self.replaces(before, self.content)
        forced = force and action is Action.CONFLICT
        after = before if action is Action.IDENTICAL else self.content
        return Step(self.path, Action.UPDATE if forced else action, before, after, forced=forced)


Request = File | Edit | Blob


class Plan(Struct, frozen=True):
    """Changes below `root`, in order of path. `remedy` is the fix for conflicts."""

    root: Path
    steps: tuple[Step, ...]
    remedy: str = _FORCE_OR_RENAME
    notes: tuple[str, ...] = ()
    """Further notes to print, such as on parts left out."""
    without_example: tuple[str, ...] = ()
    """Classes that get no suite for lack of an example, as targets of `scaffold adopt`."""
    untried_calls: tuple[str, ...] = ()  # classes whose call their suite leaves out
    commands: tuple[tuple[str, ...], ...] = ()
    """Commands to run in `root` before publication."""

    @property
    def conflicts(self) -> tuple[Step, ...]:
        """Steps that would overwrite something that the tool did not write."""
        return tuple(step for step in self.steps if step.action is Action.CONFLICT)

    @property
    def collisions(self) -> tuple[Step, ...]:
        """Steps that leave both sides of a merge in a file."""
        return tuple(step for step in self.steps if step.action is Action.COLLIDE)

    @property
    def writes(self) -> tuple[Step, ...]:
        """Steps that change the disk."""
        return tuple(step for step in self.steps if step.action in _WRITING)

    def refuse_conflicts(self) -> None:
        """Raise a `ScaffoldError` that lists every conflict, if there is any."""
        if self.conflicts:
            raise ScaffoldError.of(self.faults(), exit_code=1)

    def faults(self) -> list[Fault]:
        """Return a fault for each conflict and collision."""
        return [
            *(step.fault(self.remedy) for step in self.conflicts),
            *(step.fault(SOLVE) for step in self.collisions),
        ]

    def diff(self) -> str:
        """Return a unified diff of every file that would change, or conflicts."""
        shown = (*_WRITING, Action.CONFLICT)
        files = (step for step in self.steps if step.folder is None and step.action in shown)
        folders = [line for line in self.lines() if line.files and line.action != Action.IDENTICAL]
        diffs = (diff_of(step.path, step.before, step.after) for step in files)
        return "".join([*diffs, *(f"{line.action} {line.told}\n" for line in folders)])

    def summary(self) -> str:
        """Return an aligned line for each path and its action. Identical files share a line."""
        width = max(map(len, Action))
        lines = [f"{action:<{width}}  {told}" for action, told in summed(self.lines(), Action.IDENTICAL)]
        lines += [f"{'run':<{width}}  {' '.join(command)}" for command in self.commands]
        return "\n".join([*lines, *(f"{'note':<{width}}  {note}" for note in self.notes)])

    def to_json(self) -> dict[str, object]:
        """Return the plan as plain JSON, which is the same on every machine."""
        return {
            "files": [line.to_json() for line in self.lines()],
            "commands": [list(command) for command in self.commands],
            "notes": list(self.notes),
        }

    def lines(self) -> list[Line]:
        """Return the lines of the summary, in order of path."""
        folders = dict.fromkeys(step.folder for step in self.steps if step.folder is not None)
        lines = [Line(str(step.path), step.action) for step in self.steps if step.folder is None]
        for folder in folders:
            steps = [step for step in self.steps if step.folder == folder]
            actions = [str(step.action) for step in steps]
            lines.append(folder_line(f"{folder}/", actions, sum(step.after is not None for step in steps)))
        return sorted(lines, key=lambda line: line.path)


def make_plan(root: Path, files: Iterable[Request], *, force: bool = False) -> Plan:
    """Compare the wanted files with the disk.

    A wanted file that exists with other content is a conflict, or with `force` an update. Edits never
    conflict. Line endings do not count. Raises `ScaffoldError` with all faults: for contradicting requests
    (exit code 2), or obstacles on the disk (1).
    """
    wanted = sorted(_merge(files).items())
    places = Places(Path(os.path.realpath(root)))
    steps = [partial(_step, places, path, requests, force=force) for path, requests in wanted]
    return Plan(root, _all_steps(places, steps))


def refresh(plan: Plan) -> Plan:
    """Return the plan for the current state of the disk.

    Edits start from the current content. A file that already has the wanted bytes is left alone. Raises
    `ScaffoldError` (exit code 1) for any other changed path.
    """
    places = Places(Path(os.path.realpath(plan.root)))
    steps = [partial(_refreshed, places, step) for step in plan.steps]
    return replace(plan, steps=_all_steps(places, steps))


def _all_steps(places: Places, making: Iterable[Callable[[], Step]]) -> tuple[Step, ...]:
    """Make all steps. Raises `ScaffoldError` with every fault among them."""
    steps: list[Step] = []
    faults: list[Fault] = []
    for make in making:
        try:
            steps.append(make())
        except ScaffoldError as error:
            faults.extend(error.faults)
    faults.extend(_aliases(places, steps))
    if faults:
        raise ScaffoldError.of(faults, exit_code=1)
    return tuple(steps)


# -- what may be asked for ---------------------------------------------------------------------------------------------


def _merge(files: Iterable[Request]) -> dict[PurePosixPath, list[Request]]:
    """Group the requests by path, with at most one `File` each, which comes first."""
    wanted: dict[PurePosixPath, list[Request]] = {}
    for request in files:
        wanted.setdefault(request.path, []).append(request)
    faults = [*collisions(wanted)]
    for path, requests in wanted.items():
        blobs = [request for request in requests if isinstance(request, Blob)]
        texts = [request for request in requests if isinstance(request, File)]
        edits = [request for request in requests if isinstance(request, Edit)]
        faults.extend(_contradictions(path, texts, edits))
        # Asked for strictly by one and leniently by another, a file is wanted strictly.
        wanted[path] = [*blobs[:1], *sorted(texts)[:1], *edits]
    if faults:
        raise ScaffoldError.of(faults)
    return wanted


def _contradictions(path: PurePosixPath, texts: Sequence[File], edits: Sequence[Edit]) -> Iterator[Fault]:
    different = sorted({file.text for file in texts})
    if len(different) > 1:
        message = f"is asked for twice, with different texts: {difference(*different[:2])}"
        yield Fault(str(path), message, "give one of the two another name")
    if edits and any(not file.keep for file in texts):
        yield Fault(str(path), "is asked for as a whole file and as an edit", "ask for one of the two")


# -- what is there -----------------------------------------------------------------------------------------------------


def _refreshed(places: Places, step: Step) -> Step:
    if not step.requests:
        check_unchanged(places, step)
        return step
    made = _step(places, step.path, step.requests, force=step.action is Action.UPDATE)
    now = replace(made, folder=step.folder)
    is_edit = any(isinstance(request, Edit) for request in step.requests)
    if now.before == step.before or is_edit or now.action in (Action.IDENTICAL, Action.KEEP):
        return now
    raise changed(step)


def check_unchanged(places: Places, step: Step) -> Path:
    """Return the real place of a step. Raises `ScaffoldError` if its content has changed since the plan."""
    place = places.of(step.path)
    if step.action is not Action.KEEP and read_place(step.path, place) != step.before:
        raise changed(step)
    return place


def changed(step: Step) -> ScaffoldError:
    """Return the error for a path that has changed since the plan."""
    message = "has changed since the plan was made; nothing was changed"
    return refused(step.path, message, "run the command again")


def _step(places: Places, path: PurePosixPath, requests: Sequence[Request], *, force: bool) -> Step:
    return replace(_bare_step(places, path, requests, force=force), requests=tuple(requests))


def _bare_step(places: Places, path: PurePosixPath, requests: Sequence[Request], *, force: bool) -> Step:
    match requests:
        case [Blob() as blob]:
            return blob.step(places.read(path), force=force)
        case [File(keep=True)] if os.path.lexists(places.root / path):
            return Step(path, Action.KEEP, None, None)
        case [File() as file]:
            return _file_step(file, places.read(path), force=force)
        case [File() as file, *edits]:
            return _edit_step(path, places.read(path), edits, file.content)
        case edits:
            return _edit_step(path, places.read(path), edits, None)


def _file_step(file: File, before: bytes | None, *, force: bool) -> Step:
    if before is None:
        return Step(file.path, Action.CREATE, None, file.content)
    if before.replace(b"\r\n", b"\n") == file.content:  # as git checks it out with autocrlf
        return Step(file.path, Action.IDENTICAL, before, before)
    return Step(file.path, Action.UPDATE if force else Action.CONFLICT, before, file.content, forced=force)


def _edit_step(
    path: PurePosixPath, before: bytes | None, requests: Sequence[Request], absent: bytes | None
) -> Step:
    """Apply the edits to the content on disk, or else to `absent`.

    Unless that is None, the file is then created.
    """
    edits = [request for request in requests if isinstance(request, Edit)]
    after = reduce(
        lambda content, edit: edit.apply(content), edits, (absent or b"") if before is None else before
    )
    if after == before or (before is absent is None and not after):
        return Step(path, Action.IDENTICAL, before, before)
    return Step(path, Action.CREATE if before is None else Action.UPDATE, before, after)


def _aliases(places: Places, steps: Iterable[Step]) -> Iterator[Fault]:
    """Find paths that symbolic links turn into the same file, because only the last write would survive."""
    owners: dict[Path, PurePosixPath] = {}
    for step in (step for step in steps if step.action is not Action.KEEP):
        other = owners.setdefault(places.of(step.path), step.path)
        if other != step.path:
            message = f"is the same file as `{other}`, by a symbolic link"
            yield Fault(str(step.path), message, "remove the link")
