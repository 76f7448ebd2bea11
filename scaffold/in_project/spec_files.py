"""Where specs are found: by the name of the file, or else by the class that the file says it describes."""

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
"""What every skeleton imports, and no other Python does."""


def file_of(where: str) -> str:
    """The file in which a spec lies, of what faults call it."""
    return where.partition(": ")[0]


class SpecFiles:
    """The specs of a project, and those that lie beside the ones that were passed."""

    def __init__(self, layout: Layout, passed: Iterable[str] = ()) -> None:
        self._root = layout.root
        self._usual = layout.specs
        files = filter(is_spec_file, map(file_of, passed))
        self._beside = tuple(dict.fromkeys(Path(file).parent for file in files))
        self._by_class: dict[str, Path] | None = None

    def find(self, name: str) -> Path | None:
        """The spec of the class `name`, or the skeleton of this name with several classes."""
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
        """The files that bear the name of the class."""
        usual = [self._usual / f"{stem(name)}{suffix}" for suffix in SUFFIXES]
        return [path for path in usual if (self._root / path).is_file()]

    def shown(self, path: Path) -> str:
        """The path as errors name it: from the root where it lies below."""
        return path.relative_to(self._root).as_posix() if path.is_relative_to(self._root) else path.as_posix()

    def demand(self, name: str) -> Path:
        """The spec of the class `name`. Raises `ScaffoldError` where there is none, saying where it was looked for."""
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
    """The specs in a folder, in order of their names; none where there is no such folder."""
    paths = folder.iterdir() if folder.is_dir() else ()
    return sorted(path for path in paths if path.suffix in SUFFIXES and path.is_file())


def described_by(path: Path) -> tuple[str, ...]:
    """The classes that a spec says it describes, none where it cannot be told."""
    if path.suffix == ".py":
        return names_in(path)
    try:
        text = read_regular(path).decode("utf-8", "replace")
        name_match = re.search(_NAME, f"\n{text}".partition("\n[")[0])
    except OSError:
        return ()
    return (name_match[1],) if name_match else ()


def is_skeleton(path: Path) -> bool:
    """Whether a Python file says that it is a spec, by what it imports."""
    return path.suffix == ".py" and re.search(_SKELETON, read_regular(path)) is not None


def is_spec_of(path: Path, name: str) -> bool:
    """Whether the file says that it is a spec of the class, whatever faults it has."""
    return name in described_by(path) and (path.suffix != ".py" or is_skeleton(path))
