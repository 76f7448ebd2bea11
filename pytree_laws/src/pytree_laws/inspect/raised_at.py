"""Source line of an error: the last line of the class under test, or of code called outside libraries."""

import linecache
import os
import sysconfig
import traceback
from collections.abc import Iterable, Sequence
from pathlib import Path

from .classes import LIBRARIES

_BESIDE = (
    *LIBRARIES,
    *(
        "pytree_laws",
        "jaxtyping",
        "beartype",
        "wadler_lindig",
        "ml_dtypes",
        "opt_einsum",
        "_pytest",
        "pluggy",
    ),
)
"""Packages whose lines are never the mistake of a class."""
_OF_CLASSES = "equinox", "flax"
BASES = tuple(f"{package}/" for package in _OF_CLASSES)
"""Path prefixes of the libraries that classes derive from."""
_PYTHON = tuple(f"{os.path.realpath(sysconfig.get_path(name))}{os.sep}" for name in ("stdlib", "platstdlib"))
_INSTALLED = ("site-packages", "dist-packages")
_OWN = Path(__file__).parents[1]


def raised_at(error: BaseException | None, own: Path = _OWN) -> str:
    """Return file, number and source of the line that raised an error: `layers.py:12: y = self.weight @ x`.

    Files below `own` are not of the class. Without a line of the class, it is the last line of a base library
    such as Equinox. Without either, it is empty.
    """
    last, beside = "", ""
    while error is not None:
        frames = traceback.walk_tb(error.__traceback__)
        places = [(frame.f_code.co_filename, line) for frame, line in frames]
        last = line_of_class(places, own) or last
        beside = _line_of_library(places) or beside
        error = error.__cause__  # jax tells by it which line made the equation that fails
    return last or beside


def line_of_class(places: Iterable[tuple[str, int]], own: Path = _OWN) -> str:
    """Return the last line of the class among places from the outermost call on, or an empty string."""
    lines = (place for place in places if _is_of_class(place[0]) and not Path(place[0]).is_relative_to(own))
    return _shown([*lines])


def _line_of_library(places: Iterable[tuple[str, int]]) -> str:
    """Return the last line in a library that classes derive from, or an empty string."""
    below = ((place, _below_installed(Path(place[0]))) for place in places)
    return _shown([place for place, path in below if path is not None and path.parts[0] in _OF_CLASSES])


def _shown(places: Sequence[tuple[str, int]]) -> str:
    """Return the last place with its source, or an empty string without places."""
    if not places:
        return ""
    file, line = places[-1]
    return f"{_short(file)}:{line}: {linecache.getline(file, line).strip()}"


def _is_of_class(file: str) -> bool:
    path = Path(file)
    if not path.is_file() or path.is_relative_to(_OWN):  # a wheel on the path has no files
        return False
    below = _below_installed(path)
    if below is not None:
        return below.parts[0] not in _BESIDE
    return not os.path.realpath(file).startswith(_PYTHON)


def _below_installed(path: Path) -> Path | None:
    """Return the path relative to the folder of installed packages, or None."""
    for above in path.parents:
        if above.name in _INSTALLED:
            return path.relative_to(above)
    return None


def _short(file: str) -> str:
    """Return the file relative to installed packages or to the working directory, or else its name."""
    path = Path(file)
    if below := _below_installed(path):
        return below.as_posix()
    return path.relative_to(Path.cwd()).as_posix() if path.is_relative_to(Path.cwd()) else path.name
