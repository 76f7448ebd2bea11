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


def _check(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "something else")
        raise NotReadableError(0, f"it is {kind}, not a regular file", str(path))
    if status.st_size > LIMIT:
        raise _too_large(path, f"{status.st_size:,}")


def _too_large(path: Path, size: str) -> NotReadableError:
    return NotReadableError(0, f"it has {size} bytes, and at most {LIMIT:,} are read", str(path))


class Places:
    """The places of paths below `root`, a real path, as they are in one pass: each folder is looked at once."""

    def __init__(self, root: Path):
        self.root = root
        self._text = str(root)
        # By text: a `PurePath` costs as much to hash as the system's answer costs to get.
        self._folders: dict[str, str] = {}
        self._files: dict[str, Path] = {}

    def of(self, path: PurePosixPath) -> Path:
        """The real place of `path`, through any symbolic links, the last included.

        Raises `ScaffoldError` where it lies outside `root`, or a file is where a folder is needed.
        """
        text = str(path)
        place = self._files.get(text)
        if place is None:
            above, _, name = text.rpartition("/")
            folder = self._folders.get(above)
            if folder is None:
                folder = self._folders[above] = self._folder(path)
            whole = os.path.join(folder, name)
            place = self._files[text] = self._followed(path) if os.path.islink(whole) else Path(whole)
        return place

    def _folder(self, path: PurePosixPath) -> str:
        """The real place of the folder of `path`."""
        ways = [*accumulate(path.parts[:-1], os.path.join, initial=self._text)]
        folder = ways[-1]
        if any(map(os.path.islink, ways[1:])):
            self._followed(path)
            folder = os.path.realpath(folder)
        if not os.path.isdir(folder):
            self._check_folders(path)
        return folder

    def _followed(self, path: PurePosixPath) -> Path:
        """The place to which links lead, which must be in the project."""
        place = Path(os.path.realpath(self.root / path))
        if not place.is_relative_to(self.root):
            message = f"a symbolic link leads out of the project, to {place}"
            raise refused(path, message, "remove the link, or write to another path")
        return place

    def _check_folders(self, path: PurePosixPath) -> None:
        for above in path.parents:
            if os.path.lexists(self.root / above) and not os.path.isdir(self.root / above):
                raise refused(path, f"`{above}` is not a folder", f"move `{above}` away, or write elsewhere")

    def read(self, path: PurePosixPath) -> bytes | None:
        """The bytes of `path`; None where nothing is. Raises `ScaffoldError` as `of` and `read_place` do."""
        return read_place(path, self.of(path))


def seen_from_here(place: Path) -> str:
    """The path of a place from where the command runs, as a line to paste has it."""
    return Path(os.path.relpath(place)).as_posix()


def place_of(root: Path, path: PurePosixPath) -> Path:
    """The real place of one path below `root`; see `Places.of`."""
    return Places(root).of(path)


def read_place(path: PurePosixPath, place: Path) -> bytes | None:
    """The bytes at `place`, or None where nothing is; `path` names it in errors."""
    try:
        return read_regular(place)
    except FileNotFoundError:
        return None
    except NotReadableError as error:
        message = f"stands where a file is to be written: {error.strerror}"
        raise refused(path, message, "move it away, or choose another name") from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise refused(path, f"cannot be read: {reason}", "make it readable, or move it away") from error


def read_below(root: Path, path: PurePosixPath) -> bytes | None:
    """The bytes of one path below `root`; see `Places.read`."""
    return Places(root).read(path)


def refused(path: PurePosixPath, message: str, fix: str) -> ScaffoldError:
    """An error of the state of the disk, where the input is good."""
    return ScaffoldError(message, where=str(path), fix=fix, exit_code=1)
