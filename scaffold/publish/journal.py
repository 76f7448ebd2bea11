"""What a run is about to do, written down before it does it: the content of the lock file.

A file of lines, each with its checksum: who runs (`Owner`), what is to be written (`Journal`), and `go` once everything lies
ready beside its target. A last line that is cut off was never acted upon, since each is on the disk before what it announces.
"""

import json
import os
import zlib
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

LOCK = ".scaffold-lock"
_VERSION = 1


class DamagedError(Exception):
    """The lock file says something that no run writes."""


class Owner(Struct, frozen=True):
    """Whoever holds the lock: the computer's name, what its kernel calls this start of it (where it says so), the process.

    `over` is the token of the dead owner whose place is taken.
    """

    host: str
    boot: str
    pid: int
    token: str
    over: str = ""

    @classmethod
    def here(cls, over: str = "") -> "Owner":
        """This process."""
        return cls(host_name(), boot_name(), os.getpid(), os.urandom(6).hex(), over)


def host_name() -> str:
    """What this computer is called."""
    return os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "")


def boot_name() -> str:
    """What Linux calls the time since the computer was started: the same in all its containers; empty elsewhere."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


class Entry(Struct, frozen=True):
    """One file: its real place below the root, and the digests of what it held and is to hold; None for no file."""

    target: PurePosixPath
    before: str | None
    after: str | None


class Journal(Struct, frozen=True):
    """What one run is about to write; the names beside the targets follow from `token`."""

    token: str
    entries: tuple[Entry, ...]
    folders: tuple[PurePosixPath, ...]
    """The folders that it makes, outermost first."""
    go: bool = False
    """Whether everything lay ready, so that replacing may have begun."""

    def fresh(self, root: Path, number: int) -> Path:
        """Where the new content of an entry waits."""
        return self._beside(root, number, "new")

    def aside(self, root: Path, number: int) -> Path:
        """Where the old content of an entry is kept."""
        return self._beside(root, number, "old")

    def _beside(self, root: Path, number: int, ending: str) -> Path:
        return root / self.entries[number].target.with_name(f".scaffold-{self.token}-{number}.{ending}")


def digest(content: bytes | None) -> str | None:
    """What tells one content from another; None for no file."""
    return None if content is None else sha256(content).hexdigest()


# -- lines -------------------------------------------------------------------------------------------------------------


def owner_line(owner: Owner) -> bytes:
    """The line by which a run says who it is."""
    return _line({"owner": asdict(owner), "version": _VERSION})


def plan_line(journal: Journal) -> bytes:
    """The line that says what is to be written."""
    entries = [[str(entry.target), entry.before, entry.after] for entry in journal.entries]
    folders = [str(folder) for folder in journal.folders]
    return _line({"token": journal.token, "entries": entries, "folders": folders})


def go_line(journal: Journal) -> bytes:
    """The line that says that replacing begins."""
    return _line({"go": journal.token})


def _line(value: dict[str, Any]) -> bytes:
    text = json.dumps(value).encode()
    return b"%08x %s\n" % (zlib.crc32(text), text)


def parse(content: bytes) -> tuple[tuple[Owner, ...], Journal | None]:
    """Whoever has held the lock, and the last journal, if it has one. Raises `DamagedError`."""
    owners: list[Owner] = []
    journal: Journal | None = None
    lines = content.split(b"\n")[:-1]
    for line, after in zip(lines, [*lines[1:], None], strict=False):
        if not line or (after == b"" and not _is_whole(line)):
            continue  # cut off, and a successor wrote on behind it
        match _value(line):
            case {"owner": owner, "version": 1}:
                owners.append(_owner(owner))
            case {"token": str(token), "entries": [*entries], "folders": [*folders]}:
                journal = _journal(token, entries, folders)
            case {"go": str(token)} if journal and journal.token == token:
                journal = Journal(token, journal.entries, journal.folders, go=True)
            case _:
                raise DamagedError("a line that no run of this version writes")
    return tuple(owners), journal


def _is_whole(line: bytes) -> bool:
    checksum, _, text = line.partition(b" ")
    return checksum == b"%08x" % zlib.crc32(text)


def _value(line: bytes) -> Any:
    if not _is_whole(line):
        raise DamagedError("a line does not have its checksum")
    try:
        return json.loads(line.partition(b" ")[2])
    except (ValueError, RecursionError) as error:
        raise DamagedError("a line is no JSON") from error


def _owner(value: Any) -> Owner:
    try:
        return Owner(**value)
    except TypeError as error:
        raise DamagedError("an owner without a name") from error


def _journal(token: str, entries: list[Any], folders: list[Any]) -> Journal:
    if not token.isalnum():
        raise DamagedError("a token that no run has")
    return Journal(token, tuple(map(_entry, entries)), tuple(map(_inner_path, folders)))


def _entry(value: Any) -> Entry:
    match value:
        case [target, str() | None as before, str() | None as after]:
            return Entry(_inner_path(target), before, after)
        case _:
            raise DamagedError("an entry without a target")


def _inner_path(value: Any) -> PurePosixPath:
    """A path below the root: whoever gets the lock file from elsewhere must not write outside the project by it."""
    path = PurePosixPath(str(value))
    if path.is_absolute() or ".." in path.parts or not path.name:
        raise DamagedError(f"`{path}` is no path inside the project")
    return path
