"""Spec files: readers that locate each fault, and the classes whose specs lie beside.

A file is TOML with one class, or a skeleton with any number of classes. Both become tables of the same form.
"""

import re
import tomllib
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from scaffold.errors import Fault, ScaffoldError
from scaffold.files.fileset import SOLVE
from scaffold.files.places import read_regular
from scaffold.files.texts import has_markers
from scaffold.progress import counted
from scaffold.spec.fault_locations import located
from scaffold.spec.model import ModuleSpec
from scaffold.spec.names import SUFFIXES, is_spec_there, stem
from scaffold.spec.raw import Raw
from scaffold.spec.reading.read import read_spec
from scaffold.spec.tables.toml import read_text, read_toml

_QUOTED = r"`([^`]*)`"
_CLASS = r"(?m)^class\s+([A-Za-z_]\w*)"


def is_spec_file(name: str) -> bool:
    """Whether a file of this name holds specs."""
    return name.endswith(SUFFIXES)


def raw_specs(path: Path, where: str) -> list[Raw]:
    """Return the tables of each class in a file. Raises `ScaffoldError` if the file does not parse."""
    text = read_text(path, where)
    try:
        return _parsed(text, where, path)
    except ScaffoldError:
        if not has_markers(text):
            raise
        line = text[: text.index("<" * 7 + " ")].count("\n") + 1
        fault = Fault(where, "has the markers of a merge (`<<<<<<<`)", SOLVE, line=line, column=1)
        raise ScaffoldError.of([fault]) from None


def _parsed(text: str, where: str, path: Path) -> list[Raw]:
    if path.suffix != ".py":
        return [Raw(where, read_toml(text, where))]
    from scaffold.spec.skeletons.read import skeletons_of  # here, since most specs are no skeletons

    return skeletons_of(text, where, path)


def read_spec_file(path: Path, where: str, name: str = "") -> ModuleSpec:
    """Read the spec in a file, or the spec of the class `name` if the file describes several.

    Faults call the file `where`.
    """
    raws = raw_specs(path, where)
    chosen = [raw for raw in raws if raw.tables.get("name") == name] if len(raws) > 1 else raws
    if not chosen:
        message = f"describes {len(raws)} classes" + (f", and no `{name}`" if name else "")
        legal = tuple(str(raw.tables.get("name")) for raw in raws)
        raise ScaffoldError(message, where=where, fix="name one of them, or read them all", legal=legal)
    return _read(chosen[0], path, [path])


def read_spec_files(
    paths: Iterable[Path], shown: Callable[[Path], str] = Path.as_posix
) -> tuple[ModuleSpec, ...]:
    """Read the specs in several files, and raise one `ScaffoldError` with the faults of all files.

    `shown` gives the name of a file in faults.
    """
    every = list(paths)
    specs: list[ModuleSpec] = []
    faults: dict[Fault, None] = {}
    for path in counted(every, "specs read:"):
        with _collected(faults):
            for raw in raw_specs(path, shown(path)):
                with _collected(faults):
                    specs.append(_read(raw, path, every))
    if faults:
        raise ScaffoldError.of(faults)
    return tuple(specs)


@contextmanager
def _collected(faults: dict[Fault, None]) -> Generator[None]:
    """Add the faults of a `ScaffoldError` raised inside to `faults`."""
    try:
        yield
    except ScaffoldError as error:
        faults.update(dict.fromkeys(error.faults))


def _read(raw: Raw, path: Path, beside: Sequence[Path]) -> ModuleSpec:
    """Read the spec of one class. Raises `ScaffoldError` with its faults and the faults of `raw`."""

    @cache
    def known() -> frozenset[str]:
        files = (file for file in (path, *beside, *path.parent.glob("*.py")) if file.is_file())
        stamped = {(file, file.stat().st_mtime_ns) for file in files}
        return frozenset(name for file, time in stamped for name in _names_at(file, time))

    def is_class(name: str) -> bool:
        lies = is_spec_there(path.parent, stem(name))
        return lies or name in (raw.unit.classes if raw.unit is not None else ()) or name in known()

    try:
        with located(lambda: {raw.where: path}):
            # None of the names that what could not be read may have brought is unknown for that.
            unread = " ".join(name for fault in raw.faults for name in re.findall(_QUOTED, fault.what))
            spec = read_spec(
                raw.tables, raw.where, unread=unread, is_class=is_class, written=raw.written, unit=raw.unit
            )
    except ScaffoldError as error:
        raise ScaffoldError.of({*raw.faults, *error.faults}) from None
    if raw.faults:
        raise ScaffoldError.of(raw.faults)
    return spec


@cache
def _names_at(path: Path, time: int) -> tuple[str, ...]:
    """Cache `names_in` by path and time of modification."""
    return names_in(path)


def _described(text: str) -> tuple[str, ...]:
    """Return the classes in the text of a skeleton.

    If there are several, only classes to read as specs count, as far as the text parses.
    """
    names = tuple(re.findall(_CLASS, text))
    if len(names) < 2:
        return names
    from scaffold.spec.skeletons.read import names_described  # here, since most specs are no skeletons

    return names_described(text) or names


def names_in(path: Path) -> tuple[str, ...]:
    """Return the names of the classes that a spec file describes, or none if the file cannot be read.

    Reading the spec itself reports why.
    """
    try:
        text = read_regular(path).decode("utf-8-sig")
        if path.suffix == ".py":
            return _described(text)
        name = tomllib.loads(text).get("name")
    except (OSError, ValueError, RecursionError):
        return ()
    return (name,) if isinstance(name, str) else ()
