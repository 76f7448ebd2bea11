"""Writing of a plan: everything or nothing.

New contents go to files beside their targets, and old files are set aside by hard links. Only then is each
target replaced. The way back needs no disk space. It reads off the disk what to undo, so that an interrupt
between two system calls does no harm.
"""

import errno
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import takewhile
from pathlib import Path, PurePosixPath

from msgspec import Struct, field

from scaffold.errors import Fault, ScaffoldError
from scaffold.files.fileset import Plan, Step, changed, check_unchanged
from scaffold.files.places import Places, place_of, read_regular
from scaffold.progress import counted
from scaffold.publish.journal import LOCK, Entry, Journal, digest, go_line, plan_line
from scaffold.publish.lock import Lock, sync_folder, write_all
from scaffold.publish.signals import to_the_end
from scaffold.publish.swap import replace_expected

_UNCHANGED = "nothing was changed"
_FIXES = {
    errno.EACCES: "allow writing there, then run the command again",
    errno.EPERM: "allow writing there, then run the command again",
    errno.EROFS: "use a file system that can be written",
    errno.ENOSPC: "free some space, then run the command again",
    errno.EDQUOT: "free some space, then run the command again",
}


class _Write(Struct, frozen=True):
    """File in progress: `fresh` holds the new bytes and `aside` the old file until all is done.

    After an exchange or a removal, `fresh` holds the old file instead.
    """

    step: Step
    target: Path
    fresh: Path
    aside: Path
    like: Path | None
    """File whose permission bits the new file takes, or None for the umask's."""


class _Ledger(Struct):
    """Writes to do, and the writes that have begun and may have to be undone."""

    writes: list[_Write]
    folders: list[Path]
    at: PurePosixPath
    replacing: list[_Write] = field(default_factory=list[_Write])


def carry_out(plan: Plan, root: Path, lock: Lock) -> None:
    """Write the plan below the real path `root`, under the lock. Raises `ScaffoldError` as `publish` does."""
    places = Places(root)
    targets = [(step, places.of(step.path)) for step in plan.writes]
    _refuse_closed(targets, root)
    journal = _journal(targets, root)
    ledger = _ledger(targets, root, journal)
    try:
        lock.done = False
        lock.append(plan_line(journal))
        _stage_all(ledger)
        ledger.at = PurePosixPath(LOCK)
        lock.append(go_line(journal), sync=True)
        # Looked at again at the last moment: an editor may have saved while the others were staged.
        now = Places(root)
        for write in ledger.writes:
            _replace(now, write, ledger)
    except BaseException as error:
        lost = _undo(ledger)
        lock.done = not any(
            os.path.lexists(path) for write in ledger.writes for path in (write.fresh, write.aside)
        )
        if not lost:
            error.add_note(_UNCHANGED)
        if faults := _faults_of(error, ledger, lost=lost):
            raise ScaffoldError.of(faults, exit_code=1) from error
        raise
    try:
        _sync_copies(ledger, root)
        _discard_old(ledger)
        _remove_empty(ledger, root)
    finally:
        lock.done = _is_tidy(ledger)


def _is_tidy(ledger: _Ledger) -> bool:
    beside = (path for write in ledger.writes for path in (write.fresh, write.aside))
    return not any(map(os.path.lexists, beside))


def _refuse_closed(targets: Sequence[tuple[Step, Path]], root: Path) -> None:
    """Raise `ScaffoldError` with every read-only file and folder, which a rename would overwrite."""
    faults: dict[Fault, None] = {}
    for step, target in targets:
        if step.before is not None and _is_closed(target):
            fix = f"allow writing (`chmod u+w {step.path}`), then run the command again"
            faults[Fault(str(step.path), f"is read-only; {_UNCHANGED}", fix)] = None
    for folder in dict.fromkeys(target.parent for _, target in targets):
        folder = next(ancestor for ancestor in (folder, *folder.parents) if ancestor.exists())
        if _is_closed(folder):
            name = folder.relative_to(root).as_posix()
            fix = f"allow writing (`chmod u+w {name}`), then run the command again"
            faults[Fault(name, f"is a read-only folder; {_UNCHANGED}", fix)] = None
    if faults:
        raise ScaffoldError.of(faults, exit_code=1)


def _is_closed(place: Path) -> bool:
    # Root may write everywhere, and then the bits alone say what is meant.
    return not (os.stat(place).st_mode & 0o222 and os.access(place, os.W_OK))


def _journal(targets: Iterable[tuple[Step, Path]], root: Path) -> Journal:
    entries = tuple(
        Entry(
            PurePosixPath(target.relative_to(root).as_posix()),
            digest(step.before),
            digest(step.after),
        )
        for step, target in targets
    )
    parents = dict.fromkeys(target.parent for _, target in targets)
    folders = dict.fromkeys(folder for parent in parents for folder in _missing(parent))
    relative = (PurePosixPath(folder.relative_to(root).as_posix()) for folder in folders)
    return Journal(os.urandom(6).hex(), entries, tuple(relative))


def _missing(folder: Path) -> Iterator[Path]:
    """Return the folders to create, outermost first."""
    return reversed([*takewhile(lambda parent: not parent.exists(), (folder, *folder.parents))])


def _ledger(targets: Iterable[tuple[Step, Path]], root: Path, journal: Journal) -> _Ledger:
    writes = [
        _Write(
            step, target, journal.fresh(root, number), journal.aside(root, number), _like(step, target, root)
        )
        for number, (step, target) in enumerate(targets)
    ]
    return _Ledger(writes, [root / folder for folder in journal.folders], at=PurePosixPath(LOCK))


def _like(step: Step, target: Path, root: Path) -> Path | None:
    if step.before is not None:
        return target
    return place_of(root, step.like) if step.like is not None else None


def _stage_all(ledger: _Ledger) -> None:
    """Prepare all files beside their targets, which stay untouched."""
    missing = {*ledger.folders}
    for write in counted(ledger.writes, "files written:"):
        ledger.at = write.step.path
        if write.target.parent in missing:
            missing -= _make_folders(write.target.parent, ledger.folders)
        _stage(write)


def _make_folders(inner: Path, folders: Iterable[Path]) -> set[Path]:
    """Create those of the folders that lead to `inner`, outermost first, and return them."""
    wanted = [folder for folder in folders if inner.is_relative_to(folder)]
    for folder in wanted:
        if not folder.exists():
            folder.mkdir()
    return {*wanted}


def _stage(write: _Write) -> None:
    if write.step.after is None:
        set_aside(write.target, write.aside)
        return
    # A private file stays private while it is written; a new one gets what the umask gives.
    before, like = write.step.before, write.like
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(write.fresh, flags, 0o666 if like is None else 0o600)
    try:
        write_all(descriptor, write.step.after)
        if before is not None or like is not None:
            # Or a power cut could leave an empty file under the old one's name, or in place of a copy.
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
    if like is not None:
        os.chmod(write.fresh, stat.S_IMODE(os.stat(like).st_mode))
    if before is not None:
        set_aside(write.target, write.aside)


def set_aside(target: Path, aside: Path) -> None:
    """Keep a second name for the file, or a copy where hard links fail."""
    try:
        os.link(target, aside)
    except OSError:
        # Not every file system has hard links (FAT), nor every user the right to make them.
        import shutil

        shutil.copy2(target, aside)


def _replace(places: Places, write: _Write, ledger: _Ledger) -> None:
    ledger.at = write.step.path
    if check_unchanged(places, write.step) != write.target:
        raise OSError(errno.EBUSY, "its folder was exchanged for another meanwhile")
    ledger.replacing.append(write)
    if write.step.before is None:
        os.replace(write.fresh, write.target)
    elif not _take_out(write, write.step.before):
        raise changed(write.step)


def _take_out(write: _Write, before: bytes) -> bool:
    """Replace or remove the file. Return False if another program has just saved it."""
    if write.step.after is not None:
        return replace_expected(write.fresh, write.target, before, write.aside)
    os.rename(write.target, write.fresh)
    return read_regular(write.fresh) == before


def _sync_copies(ledger: _Ledger, root: Path) -> None:
    """Flush the names of copies and of moved files to disk, before their originals go."""
    copies = (write.target for write in ledger.writes if write.step.like is not None)
    for folder in dict.fromkeys(folder for copy in copies for folder in copy.parents):
        if folder.is_relative_to(root):
            sync_folder(folder)


def _discard_old(ledger: _Ledger) -> None:
    """Remove the files set aside. An interrupt waits, because everything is written by now."""
    replaced = [write for write in ledger.writes if write.step.before is not None]
    old = [path for write in replaced for path in (write.fresh, write.aside)]
    try:
        to_the_end(partial(remove, old))
    except (KeyboardInterrupt, SystemExit) as stop:
        stop.add_note("everything was written")
        raise


def _remove_empty(ledger: _Ledger, root: Path) -> None:
    for write in ledger.writes:
        if write.step.after is None:
            with suppress(OSError):  # something is in it still
                for folder in takewhile(lambda folder: folder != root, write.target.parents):
                    folder.rmdir()


# -- the way back ------------------------------------------------------------------------------------------------------


def _undo(ledger: _Ledger) -> list[Fault]:
    """Restore the former files, and return a fault for each file that cannot be restored."""
    try:
        return _undo_once(ledger)
    except (KeyboardInterrupt, SystemExit):  # a second one; the first is raised when all is back
        return _undo_once(ledger)


def _undo_once(ledger: _Ledger) -> list[Fault]:
    lost: list[Fault] = []
    for write in reversed(ledger.writes):
        try:
            if write in ledger.replacing and _content(write.fresh) != write.step.after:
                _bring_back(write)
            remove([write.fresh, write.aside])
        except OSError as error:
            lost.append(_stranded(write, error))
    for folder in reversed(ledger.folders):
        with suppress(OSError):  # never made, or someone else's file is in it by now
            folder.rmdir()
    return lost


def _content(place: Path) -> bytes | None:
    return read_regular(place) if os.path.lexists(place) else None


def _bring_back(write: _Write) -> None:
    """Undo a replacement, except where another program has saved the file since."""
    old = next((path for path in (write.fresh, write.aside) if os.path.lexists(path)), None)
    after = write.step.after
    if old is None:
        if write.step.before is None and _content(write.target) == after:
            write.target.unlink(missing_ok=True)
    elif after is None and not os.path.lexists(write.target):
        os.replace(old, write.target)
    elif after is None or not replace_expected(old, write.target, after, write.aside):
        raise OSError(errno.EBUSY, "another program has saved it since")


def _stranded(write: _Write, error: OSError) -> Fault:
    message = f"could not be restored: {error.strerror or error}"
    if write.step.before is None:
        return Fault(str(write.step.path), message, "delete it: this run created it")
    return Fault(str(write.step.path), message, f"its former content is in {write.aside}: move that back")


def _faults_of(error: BaseException, ledger: _Ledger, *, lost: list[Fault]) -> list[Fault]:
    """Return the faults for the user, or nothing if `error` says all, as an interrupt does."""
    if isinstance(error, ScaffoldError):
        return [*lost, *error.faults]
    if isinstance(error, OSError):
        message = f"cannot be written: {error.strerror or error}" + ("" if lost else f"; {_UNCHANGED}")
        fix = _FIXES.get(error.errno or 0, "mend that, then run the command again")
        return [*lost, Fault(str(ledger.at), message, fix)]
    return lost


def remove(paths: Iterable[Path]) -> None:
    """Remove the files that exist, and ignore errors."""
    for path in paths:
        with suppress(OSError):  # a left-over, or one that is gone already, is no reason to call a run failed
            path.unlink()
