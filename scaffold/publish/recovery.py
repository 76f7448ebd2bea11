"""What a killed run left: finished where everything still lies ready, undone where it does not, and never guessed.

Each file is judged by what lies there. A file that was changed after the run was killed is nobody's but its owner's.
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
    """How far one file came."""

    READY = auto()
    """The new content, if there is to be any, lies beside the old, which is untouched."""
    DONE = auto()
    """The new content is in its place, or was, and has been changed since."""
    UNDONE = auto()
    """The old content is in its place, and there is no new one beside it."""
    CHANGED = auto()
    """The new content never came to its place, which has been changed since."""
    TAKEN = auto()
    """What was taken out of its place is not the old content, but what another program saved at that moment."""


class _Found(Struct, frozen=True):
    """One file as the dead run left it."""

    entry: Entry
    target: Path
    fresh: Path
    aside: Path
    now: str | None
    state: _State


def recover_left(root: Path, lock: Lock) -> str:
    """Finish or undo what `lock.left` tells of, and say which in a line; empty where nothing had been begun.

    Raises `ScaffoldError` (exit code 1), with everything left as it is, where neither can be done without a loss.
    """
    try:
        _, journal = parse(lock.left)
    except DamagedError as error:
        raise damaged(lock.path, str(error)) from error
    if journal is None:
        return ""
    found = [_found(root, journal, number) for number in range(len(journal.entries))]
    if journal.go and all(one.state in (_State.READY, _State.DONE) for one in found):
        _finish(found)
        return f"an earlier run was killed: finished its {_files(found)}"
    _undo(root, journal, found)
    return f"an earlier run was killed: undid its {_files(found)}"


def _files(found: list[_Found]) -> str:
    return f"{len(found)} file{'' if len(found) == 1 else 's'}"


def _found(root: Path, journal: Journal, number: int) -> _Found:
    entry = journal.entries[number]
    target = place_of(root, entry.target)
    fresh, aside = journal.fresh(root, number), journal.aside(root, number)
    now = _digest_at(target)
    return _Found(entry, target, fresh, aside, now, _state(entry, now, _digest_at(fresh)))


def _digest_at(place: Path) -> str | None:
    """The digest of what is there, None for nothing, and for what cannot be read one that nothing else has."""
    try:
        return digest(read_regular(place))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return "unreadable"


def _state(entry: Entry, now: str | None, fresh: str | None) -> _State:
    if entry.before is not None and fresh == entry.before:
        return _State.DONE
    if entry.before is not None and fresh not in (None, entry.after) and now == entry.after:
        return _State.TAKEN
    if entry.after is None:
        return _State.DONE if now is None else _State.READY if now == entry.before else _State.CHANGED
    if fresh is None:
        return _State.UNDONE if now == entry.before else _State.DONE
    return _State.READY if fresh == entry.after and now == entry.before else _State.CHANGED


def _finish(found: list[_Found]) -> None:
    for one in found:
        if one.state is _State.READY and one.entry.after is None:
            one.target.unlink()
        elif one.state is _State.READY:
            os.replace(one.fresh, one.target)
    remove(path for one in found for path in (one.fresh, one.aside))


def _undo(root: Path, journal: Journal, found: list[_Found]) -> None:
    done = [one for one in found if journal.go and one.state is _State.DONE]
    if faults := [fault for one in done if (fault := _fault(root, journal, one))]:
        raise ScaffoldError.of(faults, exit_code=1)
    for one in done:
        if one.entry.before is None:
            one.target.unlink(missing_ok=True)
        else:
            os.replace(one.aside, one.target)
    for one in found:
        if one.state is _State.TAKEN:
            os.replace(one.fresh, one.target)
    remove(path for one in found for path in (one.fresh, one.aside))
    for folder in reversed(journal.folders):
        with suppress(OSError):  # never made, or someone else's file is in it by now
            (root / folder).rmdir()


def _fault(root: Path, journal: Journal, one: _Found) -> Fault | None:
    """Why a file that was replaced cannot be brought back, if it cannot."""
    where, kept = str(one.entry.target), one.aside.relative_to(root).as_posix()
    leftovers = f"`{LOCK}` and the files `.scaffold-{journal.token}-*`"
    fix = f"move what you want to keep into place, then delete {leftovers}"
    if one.now != one.entry.after:
        former = f"its former content is in `{kept}`" if one.entry.before else "it is new"
        what = f"was written by a run that was killed, and has been changed since, so that it is not undone; {former}"
        return Fault(where, what, fix)
    if one.entry.before is not None and _digest_at(one.aside) != one.entry.before:
        return Fault(
            where, f"was written by a run that was killed, and `{kept}` with its former content is gone", fix
        )
    return None
