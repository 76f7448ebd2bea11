"""Code style of the project, from the settings of ruff or the line length of black."""

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import cast

from scaffold.files.places import read_regular
from scaffold.in_project.layout import Layout
from scaffold.in_project.packages import table
from scaffold.tidy import Style

_LINE_LENGTH = 88
_FIRST_PARTY = "known-first-party"
_STYLES = {
    "quote-style": ("double", "single", "preserve"),
    "indent-style": ("space", "tab"),
    "skip-magic-trailing-comma": (True, False),
}
"""Further settings of `ruff format`, with their legal values."""


def line_length(layout: Layout) -> int:
    """Return the line length of the project."""
    return _line_length(_ruff(layout), layout)


def _line_length(settings: Mapping[str, object], layout: Layout) -> int:
    of_black = table(layout.document, "tool", "black").get("line-length", _LINE_LENGTH)
    length = settings.get("line-length", of_black)
    return length if isinstance(length, int) else _LINE_LENGTH


def style_of(layout: Layout, modules: Iterable[str] = ()) -> Style:
    """Return the project's style as arguments of ruff. `modules` are first-party modules not yet on disk."""
    settings = _ruff(layout)
    length = ("--line-length", str(_line_length(settings, layout)))
    return Style((*length, *_of_format(settings)), (*_of_imports(settings, layout, modules),))


def _of_format(settings: Mapping[str, object]) -> Iterator[str]:
    width = settings.get("indent-width")
    if isinstance(width, int):
        yield from _config("indent-width", width)
    for name, legal in _STYLES.items():
        value = table(settings, "format").get(name)
        if value in legal:
            yield from _config(f"format.{name}", value)


def _of_imports(settings: Mapping[str, object], layout: Layout, modules: Iterable[str]) -> Iterator[str]:
    """Yield the project's settings for the order of imports, if there are any."""
    sorting = table(settings, "lint", "isort")
    said = {name: value for name, value in sorting.items() if not isinstance(value, dict)}
    if said:
        named = said.get(_FIRST_PARTY)
        own = map(str, cast("list[object]", named)) if isinstance(named, list) else ()
        said[_FIRST_PARTY] = sorted({*layout.importable, *modules, *own})
        yield from _config("line-length", _line_length(settings, layout))
    for name, value in said.items():
        yield from _config(f"lint.isort.{name}", value)


def _config(name: str, value: object) -> tuple[str, str]:
    """Return a setting as an argument. JSON serves, since TOML writes numbers, strings and lists alike."""
    return "--config", f"{name}={json.dumps(value)}"


def _ruff(layout: Layout) -> Mapping[str, object]:
    """Return the settings of ruff. Its own file takes precedence over `pyproject.toml`."""
    files = (_document(layout.root / name) for name in (".ruff.toml", "ruff.toml"))
    return next(filter(None, files), table(layout.document, "tool", "ruff"))


def _document(path: Path) -> Mapping[str, object]:
    try:
        return tomllib.loads(read_regular(path).decode())
    except (OSError, ValueError, RecursionError):
        return {}
