"""Where a path of the project really is, and reading what is there: regular files of bounded size, and nothing else."""

import os
import stat
from itertools import accumulate
from pathlib import Path, PurePosixPath

from scaffold.errors import ScaffoldError

LIMIT = 4 * 2**20
"""The most bytes that are read of one file of the user's."""

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
# A pipe that took the file's place meanwhile must not make the opening wait, nor a terminal become ours.
_READ = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_BINARY", "O_NONBLOCK", "O_NOCTTY"))


class NotReadableError(OSError):
    """What lies there is no regular file, or is larger than anything that the tool has a use for."""


def read_regular(path: Path) -> bytes:
    """The bytes of a regular file of at most `LIMIT` bytes.

    Raises `NotReadableError`, at once and without opening it, for a folder, a pipe, a socket or a device, any of which
    could make the reader wait for ever, and for a larger file; and any other `OSError` as the system gives it.
    """
    _check(path, os.stat(path))
    descriptor = os.open(path, _READ)
    try:
        _check(path, os.fstat(descriptor))
        return _read_bounded(path, descriptor)
    finally:
        os.close(descriptor)


def _read_bounded(path: Path, descriptor: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    while part := os.read(descriptor, LIMIT + 1 - size):
        parts.append(part)
        size += len(part)
        if size > LIMIT:  # it grows, or is one of those in /proc that tell no size
            raise _too_large(path, f"more than {LIMIT:,}")
    return b"".join(parts)


def _check(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        kind = _KINDS.get(stat.S_IFMT(found.st_mode), "something else")
        raise NotReadableError(0, f"it is {kind}, not a regular file", str(path))
    if found.st_size > LIMIT:
        raise _too_large(path, f"{found.st_size:,}")


def _too_large(path: Path, size: str) -> NotReadableError:
    return NotReadableError(0, f"it has {size} bytes, and at most {LIMIT:,} are read", str(path))


def place_of(root: Path, path: PurePosixPath) -> Path:
    """The real place of `path` below `root`, through any symbolic links, the last included; `root` is a real path.

    Raises `ScaffoldError` where it lies outside `root`, or a file is where a folder is needed.
    """
    place = real_place(root, path)
    if os.path.isdir(os.path.dirname(os.path.join(root, path))):
        return place
    for above in path.parents:
        if os.path.lexists(root / above) and not os.path.isdir(root / above):
            raise refused(path, f"`{above}` is not a folder", f"move `{above}` away, or write elsewhere")
    return place


def real_place(root: Path, path: PurePosixPath) -> Path:
    """As `os.path.realpath`, in a fraction of its time: `root` is real, so that links can only be below it."""
    ways = accumulate(path.parts, os.path.join, initial=str(root))
    if not any(map(os.path.islink, ways)):
        return root / path
    place = Path(os.path.realpath(root / path))
    if not place.is_relative_to(root):
        what = f"a symbolic link leads out of the project, to {place}"
        raise refused(path, what, "remove the link, or write to another path")
    return place


def read_place(path: PurePosixPath, place: Path) -> bytes | None:
    """The bytes at `place`, or None where nothing is; `path` names it in errors."""
    try:
        return read_regular(place)
    except FileNotFoundError:
        return None
    except NotReadableError as error:
        what = f"stands where a file is to be written: {error.strerror}"
        raise refused(path, what, "move it away, or choose another name") from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise refused(path, f"cannot be read: {reason}", "make it readable, or move it away") from error


def read_below(root: Path, path: PurePosixPath) -> bytes | None:
    """The bytes of `path` below `root`, a real path; None where nothing is. Raises `ScaffoldError` as `place_of` and `read_place` do."""
    return read_place(path, place_of(root, path))


def refused(path: PurePosixPath, what: str, fix: str) -> ScaffoldError:
    """An error of the state of the disk, where the input is good."""
    return ScaffoldError(what, where=str(path), fix=fix, exit_code=1)
