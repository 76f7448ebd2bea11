"""Carry a plan out: every file of it, or none.

New contents go to temporary files beside their targets, the files to be replaced are set aside by a hard link, and only
then is each target replaced. Whatever goes wrong on the way, the way back needs no disk space and no guess: what has to
be undone is read off the disk, so that an interrupt between two system calls is as harmless as a full disk.
"""

import errno
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import takewhile
from pathlib import Path

from scaffold.errors import Fault, ScaffoldError
from scaffold.fileset import Plan, Step, place_of, read_place

_UNCHANGED = "nothing was changed"
_FIXES = {
    errno.EACCES: "allow writing there, then run the command again",
    errno.EPERM: "allow writing there, then run the command again",
    errno.EROFS: "use a file system that can be written",
    errno.ENOSPC: "free some space, then run the command again",
    errno.EDQUOT: "free some space, then run the command again",
}


@dataclass(frozen=True)
class _Write:
    """One file on its way: `fresh` holds the new bytes and `aside` the old file until all is done."""

    step: Step
    target: Path
    fresh: Path
    aside: Path


@dataclass
class _Ledger:
    """What has been begun, and so may have to be undone."""

    at: Step | None = None
    folders: list[Path] = field(default_factory=list[Path])
    writes: list[_Write] = field(default_factory=list[_Write])
    replacing: list[_Write] = field(default_factory=list[_Write])


def publish(plan: Plan) -> None:
    """Write what the plan creates and updates, and remove what it removes; nothing else is touched.

    New files get the permissions the umask gives, existing ones keep theirs, and a symbolic link stays a link.

    Raises `ScaffoldError` (exit code 1), and leaves the disk as it was, where the plan has conflicts, where a file is no
    longer what it was when the plan was made, or where something cannot be written.
    """
    plan.refuse_conflicts()
    root = Path(os.path.realpath(plan.root))
    targets = _unchanged_targets(plan, root)
    ledger = _Ledger()
    try:
        for step, target in targets:
            _stage(step, target, ledger)
        for write in ledger.writes:
            _replace(root, write, ledger)
    except BaseException as error:
        if faults := _faults_of(error, ledger, lost=_undo(ledger)):
            raise ScaffoldError.of(faults, exit_code=1) from error
        raise
    _discard_old(ledger)


def _unchanged_targets(plan: Plan, root: Path) -> list[tuple[Step, Path]]:
    """Where each write goes, or all the faults of a disk that has changed since the plan was made."""
    targets: list[tuple[Step, Path]] = []
    faults: list[Fault] = []
    for step in plan.writes:
        try:
            targets.append((step, _unchanged_target(root, step)))
        except ScaffoldError as error:
            faults.extend(error.faults)
    if faults:
        raise ScaffoldError.of(faults, exit_code=1)
    return targets


def _unchanged_target(root: Path, step: Step) -> Path:
    target = place_of(root, step.path)
    if read_place(step.path, target) != step.before:
        what = f"has changed since the plan was made; {_UNCHANGED}"
        raise ScaffoldError(what, where=str(step.path), fix="run the command again", exit_code=1)
    return target


def _stage(step: Step, target: Path, ledger: _Ledger) -> None:
    """Make everything ready beside `target`, which is not touched yet."""
    ledger.at = step
    _make_folders(target.parent, ledger)
    stem = f".scaffold-{os.urandom(6).hex()}"
    write = _Write(step, target, target.with_name(f"{stem}.new"), target.with_name(f"{stem}.old"))
    ledger.writes.append(write)  # before the files exist: an interrupt may follow their creation at once
    if step.after is None:
        _set_aside(write)
        return
    # A private file stays private while it is written; a new one gets what the umask gives.
    mode = 0o666 if step.before is None else 0o600
    with open(write.fresh, "xb", opener=partial(os.open, mode=mode)) as file:
        file.write(step.after)
    if step.before is not None:
        os.chmod(write.fresh, stat.S_IMODE(os.stat(target).st_mode))
        _set_aside(write)


def _make_folders(folder: Path, ledger: _Ledger) -> None:
    missing = takewhile(lambda parent: not parent.exists(), (folder, *folder.parents))
    for parent in reversed([*missing]):
        ledger.folders.append(parent)
        parent.mkdir()


def _set_aside(write: _Write) -> None:
    try:
        os.link(write.target, write.aside)
    except OSError:
        # Not every file system has hard links (FAT), nor every user the right to make them.
        import shutil

        shutil.copy2(write.target, write.aside)


def _replace(root: Path, write: _Write, ledger: _Ledger) -> None:
    ledger.at = write.step
    # Looked at again at the last moment: an editor may have saved while the others were staged.
    if _unchanged_target(root, write.step) != write.target:
        raise OSError(errno.EBUSY, "its folder was exchanged for another meanwhile")
    ledger.replacing.append(write)
    if write.step.after is None:
        os.unlink(write.target)
    else:
        os.replace(write.fresh, write.target)


def _discard_old(ledger: _Ledger) -> None:
    """Remove what was set aside; all is done by now, so that an interrupt only waits."""
    old = [write.aside for write in ledger.writes if write.step.before is not None]
    try:
        _remove(old)
    except KeyboardInterrupt:
        _remove(old)
        raise


# -- the way back ------------------------------------------------------------------------------------------------------


def _undo(ledger: _Ledger) -> list[Fault]:
    """Bring back what was there, and name what could not be brought back."""
    try:
        return _undo_once(ledger)
    except KeyboardInterrupt:  # impatience must not stop the way back, which can be gone twice
        return _undo_once(ledger)


def _undo_once(ledger: _Ledger) -> list[Fault]:
    lost: list[Fault] = []
    for write in reversed(ledger.writes):
        try:
            if write in ledger.replacing and not write.fresh.exists():
                _bring_back(write)
            _remove([write.fresh, write.aside])
        except OSError as error:
            lost.append(_stranded(write, error))
    for folder in reversed(ledger.folders):
        with suppress(OSError):  # never made, or someone else's file is in it by now
            folder.rmdir()
    return lost


def _bring_back(write: _Write) -> None:
    if write.step.before is None:
        write.target.unlink(missing_ok=True)
    elif write.aside.exists():
        os.replace(write.aside, write.target)


def _stranded(write: _Write, error: OSError) -> Fault:
    what = f"could not be restored: {error.strerror or error}"
    if write.step.before is None:
        return Fault(str(write.step.path), what, "delete it: this run created it")
    return Fault(str(write.step.path), what, f"its former content is in {write.aside}: move that back")


def _faults_of(error: BaseException, ledger: _Ledger, *, lost: list[Fault]) -> list[Fault]:
    """What to tell the user; nothing where `error` speaks for itself, as an interrupt does."""
    if isinstance(error, ScaffoldError):
        return [*lost, *error.faults]
    if isinstance(error, OSError) and ledger.at is not None:
        what = f"cannot be written: {error.strerror or error}" + ("" if lost else f"; {_UNCHANGED}")
        fix = _FIXES.get(error.errno or 0, "mend that, then run the command again")
        return [*lost, Fault(str(ledger.at.path), what, fix)]
    return lost


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        with suppress(OSError):  # a left-over, or one that is gone already, is no reason to call a run failed
            path.unlink()
