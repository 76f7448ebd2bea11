"""Recovery from a killed run, which finishes it if possible, and undoes it otherwise.

It finishes if some files are in place and the others staged. The content on disk decides for each file. A
file changed after the kill is left to its author.
"""

import os
from contextlib import suppress
from enum import Enum, auto
from pathlib import Path

from msgspec import Struct

from scaffold.errors import Fault, ScaffoldError
from scaffold.files.places import place_of, read_regular
from scaffold.publish.carry import remove
from scaffold.publish.journal import LOCK, DamagedError, Entry, Journal, digest, parse
from scaffold.publish.lock import Lock, damaged


class _State(Enum):
    """Progress of a file."""

    READY = auto()
    """The new content, if any, is staged, and the old is untouched."""
    DONE = auto()
    """The new content is in place, or was before a later change."""
    UNDONE = auto()
    """The old content is in place, and no new content is staged."""
    CHANGED = auto()
    """The new content never got into place, and the file has changed since."""
    TAKEN = auto()
    """The content taken out is no longer the old, because another program saved the file just then."""


class _LeftFile(Struct, frozen=True):
    """File as the dead run left it."""

    entry: Entry
    target: Path
    fresh: Path
    aside: Path
    now: str | None
    state: _State


def recover_left(root: Path, lock: Lock) -> str:
    """Finish or undo the run behind `lock.left`, and describe that in a line, or return an empty text.

    Raises `ScaffoldError` (exit code 1), and changes nothing, if either way would lose data.
    """
    try:
        _, journal = parse(lock.left)
    except DamagedError as error:
        raise damaged(lock.path, str(error)) from error
    if journal is None:
        return ""
    files = [_left_file(root, journal, number) for number in range(len(journal.entries))]
    states = {file.state for file in files}
    # Where nothing is in its place, nothing is lost by leaving it so: what the files were made of may be another by now.
    if journal.go and _State.DONE in states and states <= {_State.READY, _State.DONE}:
        _finish(files)
        return f"an earlier run was killed: finished its {_file_count(files)}"
    _undo(root, journal, files)
    return f"an earlier run was killed: undid its {_file_count(files)}"


def _file_count(files: list[_LeftFile]) -> str:
    return f"{len(files)} file{'' if len(files) == 1 else 's'}"


def _left_file(root: Path, journal: Journal, number: int) -> _LeftFile:
    entry = journal.entries[number]
    target = place_of(root, entry.target)
    fresh, aside = journal.fresh(root, number), journal.aside(root, number)
    now = _digest_at(target)
    return _LeftFile(entry, target, fresh, aside, now, _state(entry, now, _digest_at(fresh)))


def _digest_at(place: Path) -> str | None:
    """Return the digest of the file, None if it is missing, or a unique value if it is unreadable."""
    try:
        return digest(read_regular(place))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return "unreadable"


def _state(entry: Entry, now: str | None, fresh: str | None) -> _State:
    if entry.before is not None and fresh == entry.before:  # the two were exchanged
        return _State.UNDONE if now == entry.before else _State.DONE
    if entry.before is not None and fresh not in (None, entry.after) and now == entry.after:
        return _State.TAKEN
    if entry.after is None:
        return _State.DONE if now is None else _State.READY if now == entry.before else _State.CHANGED
    if fresh is None:
        return _State.UNDONE if now == entry.before else _State.DONE
    return _State.READY if fresh == entry.after and now == entry.before else _State.CHANGED


def _finish(files: list[_LeftFile]) -> None:
    for left_file in files:
        if left_file.state is _State.READY and left_file.entry.after is None:
            left_file.target.unlink()
        elif left_file.state is _State.READY:
            os.replace(left_file.fresh, left_file.target)
    remove(path for file in files for path in (file.fresh, file.aside))


def _undo(root: Path, journal: Journal, files: list[_LeftFile]) -> None:
    done = [file for file in files if journal.go and file.state is _State.DONE]
    if faults := [fault for file in done if (fault := _fault(root, journal, file))]:
        raise ScaffoldError.of(faults, exit_code=1)
    for left_file in done:
        if left_file.entry.before is None:
            left_file.target.unlink(missing_ok=True)
        else:
            os.replace(left_file.aside, left_file.target)
    for left_file in files:
        if left_file.state is _State.TAKEN:
            os.replace(left_file.fresh, left_file.target)
    remove(path for file in files for path in (file.fresh, file.aside))
    for folder in reversed(journal.folders):
        with suppress(OSError):  # never made, or someone else's file is in it by now
            (root / folder).rmdir()


def _fault(root: Path, journal: Journal, file: _LeftFile) -> Fault | None:
    """Return the fault that keeps a replaced file from being restored, if any."""
    where, kept = str(file.entry.target), file.aside.relative_to(root).as_posix()
    leftovers = f"`{LOCK}` and the files `.scaffold-{journal.token}-*`"
    fix = f"move what you want to keep into place, then delete {leftovers}"
    if file.now != file.entry.after:
        former = f"its former content is in `{kept}`" if file.entry.before else "it is new"
        message = f"was written by a run that was killed, and has been changed since, so that it is not undone; {former}"
        return Fault(where, message, fix)
    if file.entry.before is not None and _digest_at(file.aside) != file.entry.before:
        return Fault(
            where, f"was written by a run that was killed, and `{kept}` with its former content is gone", fix
        )
    return None
