"""Where specs are found: by the name of the file, or else by the class that the file says it describes."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from scaffold.errors import ScaffoldError
from scaffold.layout import Layout
from scaffold.places import read_regular
from scaffold.spec.names import stem

_NAME = re.compile(r"""^\s*name\s*=\s*["'](\w+)["']""", re.MULTILINE)


class SpecFiles:
    """The specs of a project, and those that lie beside the ones that were passed."""

    def __init__(self, layout: Layout, passed: Iterable[str] = ()) -> None:
        self._root = layout.root
        self._usual = layout.specs
        self._beside = tuple(dict.fromkeys(Path(where).parent for where in passed if where.endswith(".toml")))
        self._by_class: dict[str, Path] | None = None

    def find(self, name: str) -> Path | None:
        """The spec of the class `name`."""
        usual = self._root / self._usual / f"{stem(name)}.toml"
        if usual.is_file() and _described(usual) in (name, None):
            return usual
        if self._by_class is None:
            self._by_class = {}
            for path in self._files():
                self._by_class.setdefault(_described(path) or "", path)
        return self._by_class.get(name)

    def shown(self, path: Path) -> str:
        """The path as errors name it: from the root where it lies below."""
        return path.relative_to(self._root).as_posix() if path.is_relative_to(self._root) else path.as_posix()

    def demand(self, name: str) -> Path:
        """The spec of the class `name`. Raises `ScaffoldError` where there is none, saying where it was looked for."""
        found = self.find(name)
        if found is not None:
            return found
        usual = self._usual / f"{stem(name)}.toml"
        held = _described(self._root / usual) if (self._root / usual).is_file() else None
        what = f'there is no spec of `{name}`: looked for {usual}, and for `name = "{name}"` in {self._usual}/*.toml'
        if held is not None:
            what = f"{what}; {usual} describes `{held}`"
        known = sorted(n for n in self._by_class or () if n)
        fix = "name a spec by its path, as in `scaffold show path/to/spec.toml`, or set `specs` under [tool.scaffold]"
        raise ScaffoldError(what, where=usual.as_posix(), fix=fix, legal=known)

    def _files(self) -> Iterator[Path]:
        for folder in (self._root / PurePosixPath(self._usual), *self._beside):
            if folder.is_dir():
                yield from sorted(path for path in folder.glob("*.toml") if path.is_file())


def _described(path: Path) -> str | None:
    """The class that a spec says it describes, None where it cannot be told."""
    try:
        found = _NAME.search(read_regular(path).decode("utf-8", "replace").partition("\n[")[0])
    except OSError:
        return None
    return found[1] if found else None
