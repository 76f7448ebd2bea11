"""Lock of a project: a file in its root that exists only while a run writes.

The system's lock on the file (`flock`, through NFS too) ends with its process, so it cannot be stale. Where a
file system has no locks, the file itself is the lock, and its first line names the holder. A dead process, or
a computer started again since, holds nothing. If only another computer can tell, the run waits.
"""

import errno
import os
import stat
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from msgspec import Struct

from scaffold.errors import ScaffoldError
from scaffold.publish.journal import LOCK, DamagedError, Owner, host_name, owner_line, parse
from scaffold.publish.signals import to_the_end

WAIT = 30.0
"""Seconds to wait for another run."""
ABANDONED = 600.0
"""Seconds until a run on another computer counts as dead. Publication takes less than a second."""
_TOLD_AFTER = 1.0
_MOST = 2**26
_FLAGS = sum(getattr(os, name, 0) for name in ("O_BINARY", "O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY"))


class Lock(Struct):
    """Held lock. `left` is the content of a dead run."""

    path: Path
    descriptor: int
    left: bytes = b""
    done: bool = True
    """Whether the file can be removed, since no write is left to finish or undo."""

    def append(self, line: bytes, *, sync: bool = False) -> None:
        """Write a line. `sync` flushes it and all previous lines to disk."""
        write_all(self.descriptor, line)
        if sync:
            os.fsync(self.descriptor)
            sync_folder(self.path.parent)

    def begin(self) -> None:
        """Take over from a dead run after recovery."""
        if self.left:
            os.ftruncate(self.descriptor, 0)
            self.append(owner_line(Owner.here()))
        self.left, self.done = b"", True


def write_all(descriptor: int, content: bytes) -> None:
    """Write the whole content, in several calls if needed."""
    while content:
        content = content[os.write(descriptor, content) :]


def sync_folder(folder: Path) -> None:
    """Flush the names in a folder to disk, where the system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def project_lock(
    root: Path, tell: Callable[[str], None], *, wait: float | None = None
) -> Generator[Lock, None, None]:
    """Hold the lock of the project in the existing folder `root`.

    Raises `ScaffoldError` (exit code 1) if another run holds it for `wait` seconds (default: `WAIT`).
    """
    path = root / LOCK
    try:
        lock = _acquire(path, tell, WAIT if wait is None else wait)
    except BaseException as error:
        to_the_end(partial(_remove_if_empty, path))
        if isinstance(error, OSError):
            raise _unusable(path, error) from error
        raise
    try:
        yield lock
    finally:
        _release(lock)


def is_held(root: Path) -> bool:
    """Whether a live run holds the system's lock on the file."""
    try:
        descriptor = os.open(root / LOCK, os.O_RDWR | _FLAGS)
    except OSError:
        return False
    try:
        return _system_lock(descriptor) is False
    finally:
        os.close(descriptor)


def _release(lock: Lock) -> None:
    """Remove the file while it is still locked. An interrupt waits."""
    try:
        to_the_end(partial(_remove, lock))
    finally:
        with suppress(OSError):
            os.close(lock.descriptor)


def _remove(lock: Lock) -> None:
    with suppress(OSError):
        if os.name == "nt":  # which removes no file that is open
            os.close(lock.descriptor)
        if lock.done:
            os.unlink(lock.path)


def _remove_if_empty(path: Path) -> None:
    """Remove the file if an interrupt came between its creation and its first line."""
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDWR | _FLAGS)
        try:
            if os.fstat(descriptor).st_size == 0 and _system_lock(descriptor):
                os.unlink(path)
        finally:
            os.close(descriptor)


# -- getting it --------------------------------------------------------------------------------------------------------


def _acquire(path: Path, tell: Callable[[str], None], wait: float) -> Lock:
    start = time.monotonic()
    has_told, pause = False, 0.005
    while True:
        lock_or_holder = _try(path)
        if isinstance(lock_or_holder, Lock):
            return lock_or_holder
        waited = time.monotonic() - start
        if waited >= wait:
            raise _held_by_another(path, lock_or_holder)
        if waited >= _TOLD_AFTER and not has_told:
            tell(f"waiting for {lock_or_holder} to finish writing here")
            has_told = True
        time.sleep(pause)
        pause = min(2 * pause, 0.1)


def _held_by_another(path: Path, holder: str) -> ScaffoldError:
    message = f"{holder} is writing here; nothing was changed"
    return ScaffoldError(
        message, where=path.name, fix="let it end, or end it, then run the command again", exit_code=1
    )


def _try(path: Path) -> Lock | str:
    """Return the lock, or a description of its holder."""
    opened = _open(path)
    if opened is None:
        return "another run"
    descriptor, created = opened
    try:
        lock_or_holder = _claim(path, descriptor, created=created)
    except BaseException:
        os.close(descriptor)
        raise
    if isinstance(lock_or_holder, str):
        os.close(descriptor)
    return lock_or_holder


def _open(path: Path) -> tuple[int, bool] | None:
    """Open the file, and return whether this call created it. Return None if the file vanished."""
    flags = os.O_RDWR | os.O_APPEND | _FLAGS
    try:
        with suppress(FileExistsError):
            return os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o666), True
        if not stat.S_ISREG(os.lstat(path).st_mode):
            raise damaged(path, "it is not a regular file")
        return os.open(path, flags), False
    except FileNotFoundError as error:
        if not path.parent.is_dir():
            raise _unusable(path, error) from error
        return None
    except OSError as error:
        raise _unusable(path, error) from error


def _claim(path: Path, descriptor: int, *, created: bool) -> Lock | str:
    exact = _system_lock(descriptor)
    if exact is False:
        return _holder(descriptor)
    if not _is_at(path, descriptor):
        return "another run"
    left = b"" if created else _content_of(path, descriptor)
    if not created and exact is None and b"\n" not in left and _age(descriptor) < _TOLD_AFTER:
        return "another run"  # has made the file, and not yet said who it is
    if not left:
        return _begin(path, descriptor)
    return _succeed(path, descriptor, left, exact=exact is True)


def _begin(path: Path, descriptor: int) -> Lock:
    try:
        write_all(descriptor, owner_line(Owner.here()))
    except BaseException:
        os.ftruncate(descriptor, 0)  # what is empty goes
        raise
    return Lock(path, descriptor)


def _succeed(path: Path, descriptor: int, left: bytes, *, exact: bool) -> Lock | str:
    """Take over from a dead owner, or return a description of the live owner."""
    try:
        owner = _in_force(parse(left)[0])
    except DamagedError as error:
        raise damaged(path, str(error)) from error
    if owner and _is_alive(owner, _age(descriptor), exact=exact):
        return _holder(descriptor)
    if owner and not exact:
        # Of all who see that it is dead, the one whose line comes first takes its place.
        mine = Owner.here(over=owner.token)
        write_all(descriptor, b"\n\n" + owner_line(mine))
        if _in_force(parse(_content(descriptor))[0]) != mine:
            return "another run"
    return Lock(path, descriptor, left=left, done=False)


def _in_force(owners: tuple[Owner, ...]) -> Owner | None:
    """Return the present owner: each successor is the first to name its predecessor."""
    current = owners[0] if owners else None
    for owner in owners[1:]:
        if current and owner.over == current.token:
            current = owner
    return current


def _is_alive(owner: Owner, age: float, *, exact: bool) -> bool:
    """Whether the owner may still run.

    `exact` means that the system's lock covers this computer's processes.
    """
    here = Owner.here()
    if owner.boot and owner.boot == here.boot:  # one kernel, maybe in two containers
        return not exact and (owner.host != here.host or process_exists(owner.pid))
    if owner.host != here.host:
        return age < ABANDONED
    return not exact and not owner.boot and process_exists(owner.pid)


def process_exists(pid: int) -> bool:
    """Whether a process with this number runs on this computer."""
    if os.name == "nt":  # where signal 0 would end it
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _system_lock(descriptor: int) -> bool | None:
    """Take the system's lock, and return whether that succeeded.

    Return None if the file system has no locks.
    """
    try:
        if os.name == "nt":
            import msvcrt

            os.lseek(descriptor, _MOST, os.SEEK_SET)  # far behind what others read
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # pyright: ignore
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EAGAIN, errno.EACCES, errno.EDEADLK):
            return False
        return None
    return True


def _is_at(path: Path, descriptor: int) -> bool:
    """Whether the path still leads to the open file, since the last holder removes it."""
    try:
        return os.path.samestat(os.stat(path, follow_symlinks=False), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _age(descriptor: int) -> float:
    return time.time() - os.fstat(descriptor).st_mtime


def _content(descriptor: int) -> bytes:
    size = os.fstat(descriptor).st_size
    if size > _MOST:
        raise DamagedError(f"it has {size:,} bytes")
    os.lseek(descriptor, 0, os.SEEK_SET)
    return os.read(descriptor, size)


def _content_of(path: Path, descriptor: int) -> bytes:
    try:
        return _content(descriptor)
    except DamagedError as error:
        raise damaged(path, str(error)) from error


# -- how it is told ----------------------------------------------------------------------------------------------------


def _holder(descriptor: int) -> str:
    try:
        owner = _in_force(parse(_content(descriptor))[0])
    except DamagedError:
        owner = None
    if owner is None:
        return "another run"
    place = "" if owner.host == host_name() else f" on {owner.host!r}"
    return f"another run (process {owner.pid}{place})"


def damaged(path: Path, why: str) -> ScaffoldError:
    """Return the error for a lock file that no run can have written."""
    message = f"cannot be understood: {why}; nothing was changed"
    fix = (
        "look at the files `.scaffold-*` beside yours, where there are any: `.old` is what was there, `.new` what was to be; "
        f"move back what you miss, then delete them and `{path.name}`"
    )
    return ScaffoldError(message, where=path.name, fix=fix, exit_code=1)


def _unusable(path: Path, error: OSError) -> ScaffoldError:
    message = f"cannot be made: {error.strerror or error}; nothing was changed"
    fix = f"allow writing in {path.parent}, then run the command again"
    return ScaffoldError(message, where=path.name, fix=fix, exit_code=1)
