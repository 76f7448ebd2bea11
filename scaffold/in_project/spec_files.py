"""Search for specs by file name, or else by the class that a file says it describes."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from scaffold.errors import ScaffoldError
from scaffold.files.places import read_regular
from scaffold.in_project.layout import Layout
from scaffold.spec.files import is_spec_file, names_in
from scaffold.spec.names import SUFFIXES, stem

_NAME = r"""(?m)^\s*name\s*=\s*["'](\w+)["']"""
_SKELETON = rb"(?m)^\s*(?:from|import)\s+scaffold\b.*\bskeleton\b"
"""Import that every skeleton has, and no other Python file."""


def file_of(where: str) -> str:
    """Return the file of a spec from its `where` in faults."""
    return where.partition(": ")[0]


class SpecFiles:
    """Specs of a project, and specs beside the files passed on the command line."""

    def __init__(self, layout: Layout, passed: Iterable[str] = ()) -> None:
        self._root = layout.root
        self._usual = layout.specs
        files = filter(is_spec_file, map(file_of, passed))
        self._beside = tuple(dict.fromkeys(Path(file).parent for file in files))
        self._by_class: dict[str, Path] | None = None

    def find(self, name: str) -> Path | None:
        """Return the spec of the class `name`, or a skeleton of that name with several classes."""
        for usual in self._usual_files(name):
            described = described_by(self._root / usual)
            is_unit = len(described) > 1 and usual.stem == name
            if name in described or not described or is_unit:
                return self._root / usual
        if self._by_class is None:
            self._by_class = {}
            for path in self._files():
                for described in described_by(path):
                    self._by_class.setdefault(described, path)
        return self._by_class.get(name)

    def _usual_files(self, name: str) -> list[PurePosixPath]:
        """Return the files named after the class."""
        usual = [self._usual / f"{stem(name)}{suffix}" for suffix in SUFFIXES]
        return [path for path in usual if (self._root / path).is_file()]

    def shown(self, path: Path) -> str:
        """Return the path for errors, relative to the root if it lies below."""
        return path.relative_to(self._root).as_posix() if path.is_relative_to(self._root) else path.as_posix()

    def demand(self, name: str) -> Path:
        """Return the spec of the class `name`. Raises `ScaffoldError` with the places searched."""
        path = self.find(name)
        if path is not None:
            return path
        usual = self._usual / f"{stem(name)}.toml"
        message = f'there is no spec of `{name}`: looked for {usual}, for `name = "{name}"` in {self._usual}/*.toml, and for'
        message = f"{message} `class {name}` in {self._usual}/*.py"
        for there in self._usual_files(name):
            message = f"{message}; {there} describes `{'`, `'.join(described_by(self._root / there))}`"
        known = sorted(n for n in self._by_class or () if n)
        fix = "name a spec by its path, as in `scaffold show path/to/spec.toml`, or set `specs` under [tool.scaffold]"
        raise ScaffoldError(message, where=usual.as_posix(), fix=fix, legal=known)

    def _files(self) -> Iterator[Path]:
        for folder in (self._root / PurePosixPath(self._usual), *self._beside):
            yield from spec_files(folder)


def spec_files(folder: Path) -> list[Path]:
    """Return the specs in a folder, sorted by name, or nothing if there is no folder."""
    paths = folder.iterdir() if folder.is_dir() else ()
    return sorted(path for path in paths if path.suffix in SUFFIXES and path.is_file())


def described_by(path: Path) -> tuple[str, ...]:
    """Return the names of the classes that a spec describes, or nothing if they cannot be read."""
    if path.suffix == ".py":
        return names_in(path)
    try:
        text = read_regular(path).decode("utf-8", "replace")
        name_match = re.search(_NAME, f"\n{text}".partition("\n[")[0])
    except OSError:
        return ()
    return (name_match[1],) if name_match else ()


def is_skeleton(path: Path) -> bool:
    """Whether a Python file is a spec, judged by its imports."""
    return path.suffix == ".py" and re.search(_SKELETON, read_regular(path)) is not None


def is_spec_of(path: Path, name: str) -> bool:
    """Whether the file describes the class, even if it has faults."""
    return name in described_by(path) and (path.suffix != ".py" or is_skeleton(path))
