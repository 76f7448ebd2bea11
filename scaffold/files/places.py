"""Real places of a project's paths, and reading of regular files of bounded size."""

import os
import stat
from itertools import accumulate
from pathlib import Path, PurePosixPath

from scaffold.errors import ScaffoldError

LIMIT = 4 * 2**20
"""Limit of bytes read from a user's file."""

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
    """Error for a path that holds no regular file, or a file above `LIMIT`."""


def read_regular(path: Path) -> bytes:
    """Return the bytes of a regular file of at most `LIMIT` bytes.

    A folder, pipe, socket or device raises `NotReadableError` before it is opened, because opening it might
    block. A larger file raises the same error. Any other `OSError` passes through.
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
    """Real places of paths below `root`, a real path, with each folder looked up only once."""

    def __init__(self, root: Path):
        self.root = root
        self._text = str(root)
        # By text: a `PurePath` costs as much to hash as the system's answer costs to get.
        self._folders: dict[str, str] = {}
        self._files: dict[str, Path] = {}

    def of(self, path: PurePosixPath) -> Path:
        """Return the real place of `path`, with every symbolic link followed.

        Raises `ScaffoldError` if it lies outside `root`, or a file stands where a folder is needed.
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
        """Return the real folder of `path`. Raises `ScaffoldError` as `of` does."""
        ways = [*accumulate(path.parts[:-1], os.path.join, initial=self._text)]
        folder = ways[-1]
        if any(map(os.path.islink, ways[1:])):
            self._followed(path)
            folder = os.path.realpath(folder)
        if not os.path.isdir(folder):
            self._check_folders(path)
        return folder

    def _followed(self, path: PurePosixPath) -> Path:
        """Follow the links of `path`. Raises `ScaffoldError` if they leave the project."""
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
        """Return the bytes of `path`, or None for no file.

        Raises `ScaffoldError` like `of` and `read_place`.
        """
        return read_place(path, self.of(path))


def seen_from_here(place: Path) -> str:
    """Return the path of a place relative to the current folder, for a line to paste."""
    return Path(os.path.relpath(place)).as_posix()


def place_of(root: Path, path: PurePosixPath) -> Path:
    """Return the real place of a single path below `root`, as `Places.of` does."""
    return Places(root).of(path)


def read_place(path: PurePosixPath, place: Path) -> bytes | None:
    """Return the bytes at `place`, or None if nothing exists there. Errors call the place `path`."""
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
    """Return the bytes of a single path below `root`, as `Places.read` does."""
    return Places(root).read(path)


def refused(path: PurePosixPath, message: str, fix: str) -> ScaffoldError:
    """Return an error (exit code 1) about the state of the disk, for good input."""
    return ScaffoldError(message, where=str(path), fix=fix, exit_code=1)
