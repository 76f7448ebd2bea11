"""What was last generated of each class, in `.scaffold/` of the project: a file a class, to be committed and to be read in a diff.

A record is text: who it is about, and each generated file word for word, with its digest. What does not have its digest was
damaged, by hand or by a merge, and is no ground to replace anything.
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
"""The roles of the files of a class."""
BEFORE, AFTER = "before", "after"
"""A file of the user's that was edited, as it was, and as it was then: the way back."""
SHARED = "shared/"
"""What the names of records begin with that are about no class, but about a module that classes share."""
UNITS = "modules/"
"""What the names of records begin with that are about several classes, which are one module."""
ADOPTED = "adopted/"
"""What the names of records begin with that are about the tests of a class which is the user's own."""
_FIRST = "scaffold record, format "
_NAME = r"[\w.-]+(?:/[\w.-]+)?"
_MODULE = r"[\w-]+(?:\.[\w-]+)*"
_FILE = r"=== (\w[\w.{}-]*), (\d+) lines, sha256 ([0-9a-f]{64}): (.+)\n"


def adopted_key(module: str, name: str) -> str:
    """What the record of the tests of a class is called, where the class is the user's own."""
    return f"{ADOPTED}{module}.{name}"


class DamagedError(Exception):
    """A record that says something which no run wrote."""


class Generated(Struct, frozen=True):
    """A file as it was last generated; `role` says which of its class's it is, wherever it goes: `module`, `test`, `spec`."""

    role: str
    path: PurePosixPath
    text: str


class Record(Struct, frozen=True):
    """What was last generated of a module, from which spec, the name to import it by, and whether the package was to.

    It bears the name of its class, or that of the module where it has several.
    """

    name: str
    spec: str
    module: str
    files: tuple[Generated, ...]
    registered: bool = True
    classes: tuple[str, ...] = ()
    """The classes, where it has several."""

    @property
    def names(self) -> tuple[str, ...]:
        """The classes."""
        return self.classes or (self.name,)

    @property
    def title(self) -> str:
        """What the command line calls it."""
        return self.name.removeprefix(UNITS)

    @property
    def path(self) -> PurePosixPath:
        """Where the record lies."""
        return record_path(self.name)

    @property
    def stem(self) -> str:
        """The name of the module without those of its packages."""
        return self.module.rpartition(".")[2]

    @property
    def package(self) -> str | None:
        """The package that the module is in, None where it stands alone."""
        return self.module.rpartition(".")[0] or None

    def files_beside(self, name: str) -> PurePosixPath | None:
        """The path of another file in the folder of the module."""
        module = self.of(MODULE)
        return module.path.with_name(name) if module is not None else None

    def of(self, role: str) -> Generated | None:
        """The file with this role."""
        return next((file for file in self.files if file.role == role), None)

    def text(self) -> str:
        """The record as a file."""
        head = [f"{_FIRST}{FORMAT}", f"class: {self.name}", f"spec: {self.spec}", f"module: {self.module}"]
        head += [f"classes: {', '.join(self.classes)}"] if self.classes else []
        head += [f"registered: {'yes' if self.registered else 'no'}", ""]
        return "\n".join(head) + "".join(part for file in self.files for part in _section(file))


def record_path(name: str) -> PurePosixPath:
    """Where the record of the class `name` lies."""
    return FOLDER / f"{name}.txt"


def _section(file: Generated) -> Iterator[str]:
    lines = lines_of(file.text)
    yield f"\n=== {file.role}, {len(lines)} lines, sha256 {_digest(file.text)}: {file.path}\n"
    yield file.text if file.text.endswith("\n") else f"{file.text}\n"


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


# -- reading -----------------------------------------------------------------------------------------------------------


def parse_record(content: bytes) -> Record:
    """The record in a file. Raises `DamagedError`, and `ScaffoldError` for one of a later version of the tool."""
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
    """Raises `DamagedError` for what no run writes: what a record names is read, merged and removed."""
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
    """Whether it is a path at which something is generated: in the project, and in no folder of a tool's own."""
    try:
        check_path(path)
    except ScaffoldError:
        return False
    return not {".git", FOLDER.name, LOCK} & {*path.parts}


class Records(Struct, frozen=True, dict=True):
    """The records of a project, read when they are asked for."""

    root: Path

    def find(self, name: str) -> Record | None:
        """The record of a class, None where there is none. Raises `DamagedError`."""
        content = self.content(name)
        if content is None:
            return None
        record = parse_record(content)
        if record.name != name:
            raise DamagedError(f"it is about `{record.name}`")
        return record

    def sound(self, name: str) -> Record | None:
        """The record, where there is one that is not damaged."""
        try:
            return self.find(name)
        except DamagedError:
            return None

    def of_class(self, name: str) -> Record | None:
        """The sound record of a class, also where it is one of several in its module."""
        return self.sound(name) or self.units.get(name)

    def content(self, name: str) -> bytes | None:
        """The bytes of the record, whatever they are."""
        if not re.fullmatch(_NAME, name) or ".." in name:
            return None
        return self._places.read(record_path(name))

    @cached_property
    def _places(self) -> Places:
        return Places(Path(self.root).resolve())

    def names(self) -> tuple[str, ...]:
        """The records of classes that are generated, and of modules with several."""
        return (*self._in(""), *self._in(UNITS))

    @cached_property
    def units(self) -> dict[str, Record]:
        """The sound records of modules with several classes, by class."""
        records = filter(None, map(self.sound, self._in(UNITS)))
        return {name: record for record in records for name in record.names}

    def shared(self) -> tuple[str, ...]:
        """The records of modules that classes share."""
        return self._in(SHARED)

    def adopted(self) -> tuple[str, ...]:
        """The records of tests of classes that are the user's own."""
        return self._in(ADOPTED)

    def _in(self, folder: str) -> tuple[str, ...]:
        paths = (self.root / FOLDER / folder).glob("*.txt")
        return tuple(sorted(f"{folder}{path.stem}" for path in paths if path.is_file()))
