"""Lines and columns of faults, and fixes in the language of the file."""

import re
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from msgspec.structs import replace

from scaffold.errors import Fault, ScaffoldError
from scaffold.spec.tables.toml_locations import Locations, key_locations, location_of

_NAMED = r"`([^`]*)`"


@contextmanager
def located(files: Callable[[], Mapping[str, Path]]) -> Generator[None]:
    """Add line and column to faults raised inside.

    `files` maps the name of each file in faults to its path, and only a fault calls it.
    """
    try:
        yield
    except ScaffoldError as error:
        paths, locations_in = files(), cache(_locations)
        faults = [_located(fault, paths, locations_in) for fault in error.faults]
        raise ScaffoldError.of(faults, exit_code=error.exit_code) from None


def _located(
    fault: Fault, files: Mapping[str, Path], locations_in: Callable[[Path, str], Locations | None]
) -> Fault:
    where = max((name for name in files if f"{fault.where}: ".startswith(f"{name}: ")), key=len, default=None)
    if where is None or fault.line is not None or (locations := locations_in(files[where], where)) is None:
        return fault
    named = re.search(_NAMED, fault.what)
    key = fault.where.removeprefix(where).removeprefix(": ")
    line, column = location_of(key, named[1] if named else "", locations)
    return _told(replace(fault, line=line, column=column), key, files[where])


def _told(fault: Fault, key: str, path: Path) -> Fault:
    """Translate fix and legal values of a fault from TOML to Python, if the file is a skeleton."""
    if path.suffix != ".py":
        return fault
    # Here, because only a fault of a skeleton needs it.
    from scaffold.spec.skeletons.fixes import in_python, legal_in_python

    return replace(fault, fix=in_python(fault.fix, key), legal=legal_in_python(fault.legal))


def _locations(path: Path, where: str) -> Locations | None:
    """Return the key locations of a spec, or None if the file is gone or has changed too far."""
    # Here, because only a fault needs them.
    from scaffold.spec.skeletons.read import skeletons_of
    from scaffold.spec.tables.toml import read_text, read_toml

    try:
        text = read_text(path, where)
        if path.suffix == ".py":
            classes = skeletons_of(text, where.partition(": ")[0], path)
            return next((raw.locations for raw in classes if raw.where == where), None)
        read_toml(text, where)
        return _with_call(key_locations(text.replace("\r\n", "\n")))
    except ScaffoldError:
        return None


def _with_call(locations: Locations) -> Locations:
    """Add the locations of `methods.__call__` under `call`, where faults look for them."""
    among = {path[2:]: at for path, at in locations.items() if path[:2] == ("methods", "__call__")}
    return {**{("call", *path): at for path, at in among.items()}, **locations}
