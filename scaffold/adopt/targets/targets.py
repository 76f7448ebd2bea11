"""Targets as the user writes them: `pkg.mod:Class`, `pkg.mod`, `path.py`, `path.py:Class`, or a folder."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct
from msgspec.structs import asdict

from scaffold.errors import Fault, ScaffoldError

_MODULE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
_FORMS = ("pkg.mod:Class", "pkg.mod", "path.py", "path.py:Class")


class Target(Struct, frozen=True):
    """A module, optionally a class in it, and the folder that a file needs on `sys.path`."""

    text: str
    module: str
    name: str = ""
    folder: str = ""

    @property
    def whole(self) -> bool:
        """Whether the target includes the submodules of a package."""
        return not self.name and not self.folder

    def to_json(self) -> dict[str, object]:
        """Return the target as the child process reads it."""
        return {**asdict(self), "whole": self.whole}


def read_targets(texts: Iterable[str], here: Path) -> list[Target]:
    """Parse the targets. Raises `ScaffoldError` with the faults of all of them."""
    readings = [_read(text, here) for text in texts]
    faults = [reading for reading in readings if isinstance(reading, Fault)]
    if faults:
        raise ScaffoldError.of(faults)
    return [reading for reading in readings if isinstance(reading, Target)]


def _read(text: str, here: Path) -> Target | Fault:
    place, _, name = text.partition(":") if not re.match(r"[A-Za-z]:[\\/]", text) else (text, "", "")
    if name and not _MODULE.fullmatch(name):
        return Fault(text, f"`{name}` is no name of a class", "write the name behind the colon", _FORMS)
    path = here / place
    if place.endswith(".py"):
        return _of_file(text, path, name)
    if path.is_dir() and ("/" in place or (path / "__init__.py").is_file()):
        return _of_folder(text, path, name)
    if not _MODULE.fullmatch(place) and path.is_dir():
        return Fault(text, "is a folder, and no package", "name a package in it, or one of its files", _FORMS)
    if not _MODULE.fullmatch(place):
        return Fault(
            text, "is neither a module nor a file", "write a target in one of the legal forms", _FORMS
        )
    return Target(text, place, name)


def _of_file(text: str, path: Path, name: str) -> Target | Fault:
    if not path.is_file():
        return Fault(text, "there is no such file", "write the path from this folder", _FORMS)
    folder, parts = _from_root(path.resolve())
    return Target(text, ".".join(parts), name, str(folder))


def _of_folder(text: str, path: Path, name: str) -> Target | Fault:
    parts = _from_root(path.resolve())[1]
    if not all(part.isidentifier() for part in parts):
        return Fault(text, "is a folder, and no package", "write its files, or a module", _FORMS)
    return Target(text, ".".join(parts), name)


def _from_root(path: Path) -> tuple[Path, list[str]]:
    """Return the folder that `sys.path` needs, and the parts of the module's dotted name."""
    parts = [] if path.name == "__init__.py" else [path.stem]
    folder = path.parent
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    return folder, parts


def folders_of(targets: Iterable[Target]) -> Iterator[str]:
    """Yield the folders that the files need on `sys.path`, each once."""
    yield from dict.fromkeys(target.folder for target in targets if target.folder)
