"""What a fault points at: line and column where there is a file, the argument where there is none."""

import re
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from msgspec.structs import replace

from scaffold.errors import Fault, ScaffoldError
from scaffold.files.places import read_regular
from scaffold.spec.tables.toml_locations import Locations, key_locations, location_of

_NAMED = r"`([^`]*)`"


@contextmanager
def located(files: Callable[[], Mapping[str, Path]]) -> Generator[None]:
    """Give line and column to the faults of these files, by the name under which the faults have each; only a fault needs them."""
    try:
        yield
    except ScaffoldError as error:
        cache: dict[str, Locations | None] = {}
        paths = files()
        faults = [_located(fault, paths, cache) for fault in error.faults]
        raise ScaffoldError.of(faults, exit_code=error.exit_code) from None


def _located(fault: Fault, files: Mapping[str, Path], cache: dict[str, Locations | None]) -> Fault:
    where = max((name for name in files if f"{fault.where}: ".startswith(f"{name}: ")), key=len, default=None)
    if where is None or fault.line is not None:
        return fault
    if where not in cache:
        cache[where] = _locations(files[where], where)
    locations = cache[where]
    if locations is None:
        return fault
    named = re.search(_NAMED, fault.what)
    key = fault.where.removeprefix(where).removeprefix(": ")
    line, column = location_of(key, named[1] if named else "", locations)
    return _told(replace(fault, line=line, column=column), key, files[where])


def _told(fault: Fault, key: str, path: Path) -> Fault:
    """The fault, whose fix and legal values are in the language of the file."""
    if path.suffix != ".py":
        return fault
    # Here, because only a fault of a skeleton needs it.
    from scaffold.spec.skeletons.fixes import in_python, legal_in_python

    return replace(fault, fix=in_python(fault.fix, key), legal=legal_in_python(fault.legal))


def _locations(path: Path, where: str) -> Locations | None:
    """The places of the keys of a spec; none where its file is gone, or is no TOML, or is nested without end."""
    if path.suffix == ".py":
        return _in_skeleton(path, where)
    import tomllib  # here, because only a fault needs it

    try:
        text = read_regular(path).decode("utf-8-sig")
        tomllib.loads(text)
        return _with_call(key_locations(text.replace("\r\n", "\n")))
    except (OSError, ValueError, RecursionError):
        return None


def _with_call(locations: Locations) -> Locations:
    """The places, with those of a call that stands among the methods where faults look for the call."""
    among = {path[2:]: at for path, at in locations.items() if path[:2] == ("methods", "__call__")}
    return {**{("call", *path): at for path, at in among.items()}, **locations}


def _in_skeleton(path: Path, where: str) -> Locations | None:
    from scaffold.spec.skeletons.read import read_skeletons  # here, because only a fault needs it

    try:
        skeletons = read_skeletons(path, where.partition(": ")[0])
    except ScaffoldError:
        return None
    return next((skeleton.locations for skeleton in skeletons if skeleton.where == where), None)
