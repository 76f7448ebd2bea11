"""Spec files: reading them, with the place of each fault, and the classes whose specs lie beside."""

import tomllib
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from scaffold.errors import Fault, ScaffoldError
from scaffold.places import read_regular
from scaffold.spec.model import ModuleSpec
from scaffold.spec.names import stem
from scaffold.spec.places import located
from scaffold.spec.read import read_spec
from scaffold.spec.toml import read_toml


def read_spec_file(path: Path, where: str, beside: Sequence[Path] = ()) -> ModuleSpec:
    """The spec in a file that faults call `where`; `beside` are those that are generated with it."""
    raw = read_toml(path, where)

    def is_class(name: str) -> bool:
        return (path.parent / f"{stem(name)}.toml").is_file() or name in _names(tuple(beside))

    with located({where: path}):
        return read_spec(raw, where, is_class=is_class)


def read_spec_files(paths: Iterable[Path]) -> tuple[ModuleSpec, ...]:
    """The specs in several files. Raises one `ScaffoldError` with the faults of all of them."""
    every = list(paths)
    found: list[ModuleSpec] = []
    faults: list[Fault] = []
    for path in every:
        try:
            found.append(read_spec_file(path, path.as_posix(), every))
        except ScaffoldError as error:
            faults += error.faults
    if faults:
        raise ScaffoldError.of(faults)
    return tuple(found)


@cache
def _names(paths: tuple[Path, ...]) -> frozenset[str]:
    """The names of the classes in these files, of those that can be read."""
    return frozenset(name for path in paths if isinstance(name := _name(path), str))


def _name(path: Path) -> object:
    try:
        return tomllib.loads(read_regular(path).decode("utf-8-sig")).get("name")
    except (OSError, ValueError, RecursionError):
        return None  # it is told when that file is read
