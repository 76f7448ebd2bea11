"""Journal of a run's intended writes, stored in the lock file.

Each line has a checksum: the running process (`Owner`), the intended writes (`Journal`), and `go` once all
files are staged. A truncated last line is harmless, because each line reaches the disk before the run acts on
it.
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
    """Error for a lock file that no run can have written."""


class Owner(Struct, frozen=True):
    """Holder of the lock: host name, boot id if the kernel has one, and process id.

    `over` is the token of the dead owner that it replaces.
    """

    host: str
    boot: str
    pid: int
    token: str
    over: str = ""

    @classmethod
    def here(cls, over: str = "") -> "Owner":
        """Return the owner for this process."""
        return cls(host_name(), boot_name(), os.getpid(), os.urandom(6).hex(), over)


def host_name() -> str:
    """Return the name of this computer."""
    return os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "")


def boot_name() -> str:
    """Return Linux's boot id, which all containers share, or an empty text elsewhere."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


class Entry(Struct, frozen=True):
    """Real path of a file below the root, and digests of its old and new content. None stands for no file."""

    target: PurePosixPath
    before: str | None
    after: str | None


class Journal(Struct, frozen=True):
    """Intended writes of a run. `token` determines the names of files beside their targets."""

    token: str
    entries: tuple[Entry, ...]
    folders: tuple[PurePosixPath, ...]
    """Folders to create, outermost first."""
    go: bool = False
    """Whether all files were staged, so that replacements may have begun."""

    def fresh(self, root: Path, number: int) -> Path:
        """Return the path of an entry's staged content."""
        return self._beside(root, number, "new")

    def aside(self, root: Path, number: int) -> Path:
        """Return the path of an entry's old content."""
        return self._beside(root, number, "old")

    def _beside(self, root: Path, number: int, ending: str) -> Path:
        return root / self.entries[number].target.with_name(f".scaffold-{self.token}-{number}.{ending}")


def digest(content: bytes | None) -> str | None:
    """Return the SHA-256 of the content, or None for no file."""
    return None if content is None else sha256(content).hexdigest()


# -- lines -------------------------------------------------------------------------------------------------------------


def owner_line(owner: Owner) -> bytes:
    """Return the line that identifies the owner."""
    return _line({"owner": asdict(owner), "version": _VERSION})


def plan_line(journal: Journal) -> bytes:
    """Return the line that lists the intended writes."""
    entries = [[str(entry.target), entry.before, entry.after] for entry in journal.entries]
    folders = [str(folder) for folder in journal.folders]
    return _line({"token": journal.token, "entries": entries, "folders": folders})


def go_line(journal: Journal) -> bytes:
    """Return the line that announces the replacements."""
    return _line({"go": journal.token})


def _line(value: dict[str, Any]) -> bytes:
    text = json.dumps(value).encode()
    return b"%08x %s\n" % (zlib.crc32(text), text)


def parse(content: bytes) -> tuple[tuple[Owner, ...], Journal | None]:
    """Return all owners and the last journal, if any. Raises `DamagedError`."""
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
    """Return a path below the root. A foreign lock file must not direct writes outside the project."""
    path = PurePosixPath(str(value))
    if path.is_absolute() or ".." in path.parts or not path.name:
        raise DamagedError(f"`{path}` is no path inside the project")
    return path
