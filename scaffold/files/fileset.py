"""What the tool wants on disk, and the plan that says what publishing it would do.

Nothing here writes. `make_plan` reads the disk once; `scaffold.publish` carries the plan out.
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
    """A file the tool wants to exist, with `text` as its content in UTF-8.

    `path` is relative to the project's root and stays inside it. With `keep`, the file is created when absent, and
    whatever is already there is left alone.
    """

    path: PurePosixPath
    text: str
    keep: bool = False

    def __post_init__(self) -> None:
        check_path(self.path)
        check_text(self.path, self.text)

    @property
    def content(self) -> bytes:
        """The bytes to be written."""
        return self.text.encode()


class Edit(Struct, frozen=True):
    """An edit of an existing or new file by a pure, idempotent function on its bytes.

    `apply` gets `b""` where the file is absent; where it gives `b""` back, the file stays absent.
    """

    path: PurePosixPath
    apply: Callable[[bytes], bytes]

    def __post_init__(self) -> None:
        check_path(self.path)


class Action(StrEnum):
    """What publishing does to one path."""

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
    """One path of a plan: its bytes on disk `before` and wanted `after`, None where there is no file.

    A kept path is not looked into: both are None. With `folder` it is shown as a part of that folder.
    """

    path: PurePosixPath
    action: Action
    before: bytes | None
    after: bytes | None
    requests: tuple["Request", ...] = ()
    """What was asked for, by which `refresh` makes the step anew."""
    folder: PurePosixPath | None = None
    why: str = ""
    """What is to be said of a conflict, where it is not that a file differs."""
    fix: str = ""
    """What a conflict says to do, where it is not the remedy of the plan."""
    forced: bool = False
    """Whether something is replaced or removed that the tool did not write, because `--force` says so."""
    like: PurePosixPath | None = None
    """The file whose permission bits a new one gets."""
    state: str = ""
    """What a generated file has become since, one of `lifecycle.states.State`."""

    @property
    def asked(self) -> str:
        """The text of the file that was asked for; empty where none was."""
        return next((request.text for request in self.requests if isinstance(request, File)), "")

    def fault(self, remedy: str) -> Fault:
        """What is to be said where it is a conflict."""
        return Fault(str(self.path), self.why or _DIFFERS, self.fix or remedy)


class Blob(Struct, frozen=True):
    """A binary file that the tool wants to exist; `replaces` compares what lies there with its content."""

    path: PurePosixPath
    content: bytes
    replaces: Callable[[bytes, bytes], Action]

    def step(self, before: bytes | None, *, force: bool) -> Step:
        """What is done at its path, where `before` lies."""
        if before is None:
            return Step(self.path, Action.CREATE, None, self.content)
        action = Action.IDENTICAL if before == self.content else self.replaces(before, self.content)
        forced = force and action is Action.CONFLICT
        after = before if action is Action.IDENTICAL else self.content
        return Step(self.path, Action.UPDATE if forced else action, before, after, forced=forced)


Request = File | Edit | Blob


class Plan(Struct, frozen=True):
    """What publishing would do below `root`, in order of path; `remedy` is what its conflicts say to do."""

    root: Path
    steps: tuple[Step, ...]
    remedy: str = _FORCE_OR_RENAME
    notes: tuple[str, ...] = ()
    """What is to be known besides: what was found out, and left out."""
    without_example: tuple[str, ...] = ()
    """The classes that get no suite since nothing says an example, as `scaffold adopt` is told them."""
    commands: tuple[tuple[str, ...], ...] = ()
    """What is run in `root` before anything is published."""

    @property
    def conflicts(self) -> tuple[Step, ...]:
        """The steps that would overwrite something the tool did not write."""
        return tuple(step for step in self.steps if step.action is Action.CONFLICT)

    @property
    def collisions(self) -> tuple[Step, ...]:
        """The steps after which both sides of a merge stand in a file."""
        return tuple(step for step in self.steps if step.action is Action.COLLIDE)

    @property
    def writes(self) -> tuple[Step, ...]:
        """The steps that change the disk."""
        return tuple(step for step in self.steps if step.action in _WRITING)

    def refuse_conflicts(self) -> None:
        """Raise a `ScaffoldError` that lists every conflict, if there is one."""
        if self.conflicts:
            raise ScaffoldError.of(self.faults(), exit_code=1)

    def faults(self) -> list[Fault]:
        """What is to be said of each conflict."""
        return [
            *(step.fault(self.remedy) for step in self.conflicts),
            *(step.fault(SOLVE) for step in self.collisions),
        ]

    def diff(self) -> str:
        """A unified diff of everything that would be, or was asked to be, created or changed."""
        shown = (*_WRITING, Action.CONFLICT)
        files = (step for step in self.steps if step.folder is None and step.action in shown)
        folders = [line for line in self.lines() if line.files and line.action != Action.IDENTICAL]
        diffs = (diff_of(step.path, step.before, step.after) for step in files)
        return "".join([*diffs, *(f"{line.action} {line.told}\n" for line in folders)])

    def summary(self) -> str:
        """One aligned line for each file and folder, and what is done to it; one for all that stay as they are."""
        width = max(map(len, Action))
        lines = [f"{action:<{width}}  {told}" for action, told in summed(self.lines(), Action.IDENTICAL)]
        lines += [f"{'run':<{width}}  {' '.join(command)}" for command in self.commands]
        return "\n".join([*lines, *(f"{'note':<{width}}  {note}" for note in self.notes)])

    def to_json(self) -> dict[str, object]:
        """The plan as plain JSON, the same on every machine."""
        return {
            "files": [line.to_json() for line in self.lines()],
            "commands": [list(command) for command in self.commands],
            "notes": list(self.notes),
        }

    def lines(self) -> list[Line]:
        """What is shown of the plan, in order of path."""
        folders = dict.fromkeys(step.folder for step in self.steps if step.folder is not None)
        lines = [Line(str(step.path), step.action) for step in self.steps if step.folder is None]
        for folder in folders:
            steps = [step for step in self.steps if step.folder == folder]
            actions = [str(step.action) for step in steps]
            lines.append(folder_line(f"{folder}/", actions, sum(step.after is not None for step in steps)))
        return sorted(lines, key=lambda line: line.path)


def make_plan(root: Path, files: Iterable[Request], *, force: bool = False) -> Plan:
    """Compare what is wanted with what is on disk.

    A wanted file that exists with other content is a conflict, or with `force` an update; an edit is never a conflict,
    since it starts from what is there. Line endings do not count as a difference.

    Raises `ScaffoldError`, listing everything at once, where two requests contradict each other (exit code 2), or
    where something on disk is in the way (exit code 1).
    """
    wanted = sorted(_merge(files).items())
    places = Places(Path(os.path.realpath(root)))
    steps = [partial(_step, places, path, requests, force=force) for path, requests in wanted]
    return Plan(root, _all_steps(places, steps))


def refresh(plan: Plan) -> Plan:
    """The plan as the disk is now.

    An edit starts from what is there now, so that whoever changed the file meanwhile loses nothing. A whole file that
    somebody else has written meanwhile, byte for byte, is written no more. Raises `ScaffoldError` (exit code 1) for every
    other path that is no longer what it was when the plan was made.
    """
    places = Places(Path(os.path.realpath(plan.root)))
    steps = [partial(_refreshed, places, step) for step in plan.steps]
    return replace(plan, steps=_all_steps(places, steps))


def _all_steps(places: Places, making: Iterable[Callable[[], Step]]) -> tuple[Step, ...]:
    """The steps, or everything that stands in the way of any of them."""
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
    """The requests by path, each path with at most one `File`, which comes first."""
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
    """The real place of a step that writes, which must hold what the plan saw there."""
    place = places.of(step.path)
    if step.action is not Action.KEEP and read_place(step.path, place) != step.before:
        raise changed(step)
    return place


def changed(step: Step) -> ScaffoldError:
    """The refusal of a step whose path is no longer what the plan saw there."""
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
    """The edits in order, on what is there, or else on `absent`, where that is to be created at all events."""
    edits = [request for request in requests if isinstance(request, Edit)]
    after = reduce(
        lambda content, edit: edit.apply(content), edits, (absent or b"") if before is None else before
    )
    if after == before or (before is absent is None and not after):
        return Step(path, Action.IDENTICAL, before, before)
    return Step(path, Action.CREATE if before is None else Action.UPDATE, before, after)


def _aliases(places: Places, steps: Iterable[Step]) -> Iterator[Fault]:
    """Paths that symbolic links make one file: the one written last would win."""
    owners: dict[Path, PurePosixPath] = {}
    for step in (step for step in steps if step.action is not Action.KEEP):
        other = owners.setdefault(places.of(step.path), step.path)
        if other != step.path:
            message = f"is the same file as `{other}`, by a symbolic link"
            yield Fault(str(step.path), message, "remove the link")
