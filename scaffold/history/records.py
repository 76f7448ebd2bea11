"""Records of the last generated files, one for each class or module in `.scaffold/`, to commit and to diff.

A record is text: its subject, and each generated file word for word with a digest. A file that fails its
digest was damaged, by hand or by a merge, and justifies no replacement.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from hashlib import sha256
from itertools import dropwhile
from pathlib import Path, PurePosixPath

from msgspec import Struct

from scaffold.errors import ScaffoldError, shown
from scaffold.files.path_rules import check_path
from scaffold.files.places import Places
from scaffold.files.texts import Text, lines_of
from scaffold.publish.journal import LOCK
from scaffold.spec.files import is_spec_file

FOLDER = PurePosixPath(".scaffold")
FORMAT = 1
MODULE, TEST, SPEC = "module", "test", "spec"
"""Roles of the files of a class."""
BEFORE, AFTER = "before", "after"
"""Roles for a user's file before and after the tool's edit, from which the edit can be undone."""
SHARED = "shared/"
"""Prefix for the record of a module that classes share."""
UNITS = "modules/"
"""Prefix for the record of a module with several classes."""
ADOPTED = "adopted/"
"""Prefix for the record of the tests of a user's own class."""
_FIRST = "scaffold record, format "
_NAME = r"[\w.-]+(?:/[\w.-]+)?"
_MODULE = r"[\w-]+(?:\.[\w-]+)*"
_FILE = r"=== (\w[\w.{}-]*), (\d+) lines, sha256 ([0-9a-f]{64}): (.+)\n"


def adopted_key(module: str, name: str) -> str:
    """Return the name of the record for the tests of a user's own class."""
    return f"{ADOPTED}{module}.{name}"


class DamagedError(Exception):
    """Error for a record that no run can have written."""


class Generated(Struct, frozen=True):
    """Generated file, with its role in its class: `module`, `test` or `spec`."""

    role: str
    path: PurePosixPath
    text: str


class Record(Struct, frozen=True):
    """Record of a module: its spec, its import name, its files, and whether the package imports it.

    `name` is the name of its class, or of the module if it holds several classes.
    """

    name: str
    spec: str
    module: str
    files: tuple[Generated, ...]
    registered: bool = True
    classes: tuple[str, ...] = ()
    """Names of the classes if there are several."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the classes."""
        return self.classes or (self.name,)

    @property
    def title(self) -> str:
        """Name on the command line."""
        return self.name.removeprefix(UNITS)

    @property
    def path(self) -> PurePosixPath:
        """Path of the record."""
        return record_path(self.name)

    @property
    def stem(self) -> str:
        """Name of the module without its packages."""
        return self.module.rpartition(".")[2]

    @property
    def package(self) -> str | None:
        """Package of the module, or None for a top-level module."""
        return self.module.rpartition(".")[0] or None

    def files_beside(self, name: str) -> PurePosixPath | None:
        """Return the path of another file in the module's folder, or None without a module."""
        module = self.of(MODULE)
        return module.path.with_name(name) if module is not None else None

    def of(self, role: str) -> Generated | None:
        """Return the file with this role, or None."""
        return next((file for file in self.files if file.role == role), None)

    def text(self) -> str:
        """Return the record as the text of a file."""
        head = [f"{_FIRST}{FORMAT}", f"class: {self.name}", f"spec: {self.spec}", f"module: {self.module}"]
        head += [f"classes: {', '.join(self.classes)}"] if self.classes else []
        head += [f"registered: {'yes' if self.registered else 'no'}", ""]
        return "\n".join(head) + "".join(part for file in self.files for part in _section(file))


def record_path(name: str) -> PurePosixPath:
    """Return the path of the record called `name`."""
    return FOLDER / f"{name}.txt"


def _section(file: Generated) -> Iterator[str]:
    lines = lines_of(file.text)
    yield f"\n=== {file.role}, {len(lines)} lines, sha256 {_digest(file.text)}: {file.path}\n"
    yield file.text if file.text.endswith("\n") else f"{file.text}\n"


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


# -- reading -----------------------------------------------------------------------------------------------------------


def parse_record(content: bytes) -> Record:
    """Parse a record. Raises `DamagedError`, or `ScaffoldError` for another version of the format."""
    text = Text.of(content)
    lines = lines_of(text.text) if text is not None else []
    first = lines[0] if lines else ""
    if not first.startswith(_FIRST):
        raise DamagedError("its first line is not that of a record")
    _check_format(first.removeprefix(_FIRST).strip())
    start = next((at for at, line in enumerate(lines) if line.startswith("=== ")), len(lines))
    head = dict(line.rstrip("\n").split(": ", 1) for line in lines[1:start] if ": " in line)
    if not {"class", "spec", "module", "registered"} <= head.keys():
        raise DamagedError("its head is not whole")
    record = Record(
        head["class"],
        head["spec"],
        head["module"],
        tuple(_files(lines[start:])),
        registered=head["registered"] == "yes",
        classes=tuple(filter(None, head.get("classes", "").split(", "))),
    )
    _check_head(record)
    return record


def _check_head(record: Record) -> None:
    """Raise `DamagedError` for values that no run writes, because named files get merged and removed."""
    if not re.fullmatch(_NAME, record.name) or ".." in record.name:
        raise DamagedError(f"`{shown(record.name)}` is no name of a class")
    is_unit = record.name.startswith(UNITS)
    if is_unit != bool(record.classes) or not all(name.isidentifier() for name in record.classes):
        raise DamagedError(f"`{shown(', '.join(record.classes))}` are no names of its classes")
    if record.module and not re.fullmatch(_MODULE, record.module):
        raise DamagedError(f"`{shown(record.module)}` is no name of a module")
    spec = PurePosixPath(record.spec)
    # A spec may lie beside the project, where it is read, and never written or removed.
    inside = tuple(dropwhile("..".__eq__, spec.parts))
    is_path = not spec.is_absolute() and ".." not in inside and record.spec.isprintable()
    paths = {file.path for file in record.files if file.role != SPEC}
    if record.spec and not (is_path and is_spec_file(record.spec) and spec not in paths):
        raise DamagedError(f"`{shown(record.spec)}` is no path of a spec")


def _check_format(word: str) -> None:
    if not word.isdigit():
        raise DamagedError(f"`{word}` is no format of a record")
    if int(word) != FORMAT:
        message = f"has format {word}, and this version of the tool reads format {FORMAT}"
        fix = "use the version of the tool that the project is kept with, or a later one"
        raise ScaffoldError(message, where=FOLDER.as_posix(), fix=fix, exit_code=1)


def _files(lines: Sequence[str]) -> Iterator[Generated]:
    at = 0
    while at < len(lines):
        heading = re.fullmatch(_FILE, lines[at])
        if heading is None:
            raise DamagedError(f"`{lines[at].strip()[:60]}` begins no file")
        role, number, digest, path = heading.groups()
        text = "".join(lines[at + 1 : at + 1 + int(number)])
        exact = next(
            (candidate for candidate in (text, text.removesuffix("\n")) if _digest(candidate) == digest), None
        )
        if exact is None:
            raise DamagedError(f"what it keeps of `{path}` does not have its digest")
        if not _is_inside(PurePosixPath(path)):
            raise DamagedError(f"`{shown(path)}` is no path inside the project")
        yield Generated(role, PurePosixPath(path), exact)
        at += 1 + int(number)
        at += at < len(lines) and not lines[at].strip()


def _is_inside(path: PurePosixPath) -> bool:
    """Whether files may be generated at the path: in the project, and in no folder of git or the tool."""
    try:
        check_path(path)
    except ScaffoldError:
        return False
    return not {".git", FOLDER.name, LOCK} & {*path.parts}


class Records(Struct, frozen=True, dict=True):
    """Records of a project, read on demand."""

    root: Path

    def find(self, name: str) -> Record | None:
        """Return the record called `name`, or None. Raises `DamagedError`."""
        content = self.content(name)
        if content is None:
            return None
        record = parse_record(content)
        if record.name != name:
            raise DamagedError(f"it is about `{record.name}`")
        return record

    def sound(self, name: str) -> Record | None:
        """Return the record called `name`, or None if it is missing or damaged."""
        try:
            return self.find(name)
        except DamagedError:
            return None

    def of_class(self, name: str) -> Record | None:
        """Return the sound record of a class, by itself or among others in its module."""
        return self.sound(name) or self.units.get(name)

    def content(self, name: str) -> bytes | None:
        """Return the bytes of the record, sound or not, or None."""
        if not re.fullmatch(_NAME, name) or ".." in name:
            return None
        return self._places.read(record_path(name))

    @cached_property
    def _places(self) -> Places:
        return Places(Path(self.root).resolve())

    def names(self) -> tuple[str, ...]:
        """Return the names of records of generated classes and of modules with several classes."""
        return (*self._in(""), *self._in(UNITS))

    @cached_property
    def units(self) -> dict[str, Record]:
        """Sound records of modules with several classes, by name of the class."""
        records = filter(None, map(self.sound, self._in(UNITS)))
        return {name: record for record in records for name in record.names}

    def shared(self) -> tuple[str, ...]:
        """Return the names of records of modules that classes share."""
        return self._in(SHARED)

    def adopted(self) -> tuple[str, ...]:
        """Return the names of records for tests of users' own classes."""
        return self._in(ADOPTED)

    def _in(self, folder: str) -> tuple[str, ...]:
        paths = (self.root / FOLDER / folder).glob("*.txt")
        return tuple(sorted(f"{folder}{path.stem}" for path in paths if path.is_file()))
