"""Context and templates to text. Jinja2 alone: importing Copier would cost several times a whole run."""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from jinja2 import Environment, StrictUndefined, Template

SUFFIX = ".jinja"
CLASS_FILE = "{{ stem }}.py" + SUFFIX
OPTIONS: dict[str, Any] = {
    "undefined": StrictUndefined,
    "trim_blocks": True,
    "lstrip_blocks": True,
    "keep_trailing_newline": True,
}
"""The same as `_envops` in every `copier.yml`, so that Copier renders the same bytes."""


@cache
def templates_folder() -> Path:
    """The folder of the templates: inside the package in a wheel, beside it in a checkout."""
    packaged = Path(__file__).parent / "templates"
    return packaged if packaged.is_dir() else Path(__file__).parent.parent / "templates"


@cache
def _environment() -> Environment:
    # Source code is not HTML: escaping would break it.
    return Environment(autoescape=False, **OPTIONS)


@cache
def _sources(folder: Path) -> tuple[tuple[str, str], ...]:
    """Path and text of each template of a folder, sorted by path."""
    found = sorted(folder.rglob(f"*{SUFFIX}"))
    return tuple((path.relative_to(folder).as_posix(), path.read_text(encoding="utf-8")) for path in found)


def render(name: str, context: Mapping[str, Any]) -> Iterator[tuple[PurePosixPath, str]]:
    """Path and text of each file that the template folder `name` lays out from `context`."""
    yield from render_named(name, "", context)


def render_named(name: str, ends: str, context: Mapping[str, Any]) -> Iterator[tuple[PurePosixPath, str]]:
    """The same of the files alone whose template has a path that ends so."""
    for path, text in _sources(templates_folder() / name):
        if path.endswith(ends):
            target = _compiled(path.removesuffix(SUFFIX)).render(context)
            yield PurePosixPath(target), _compiled(text).render(context)


def render_class(name: str, context: Mapping[str, Any]) -> str:
    """The text alone of the one file of the folder that is named after the class."""
    [text] = [text for path, text in _sources(templates_folder() / name) if path.endswith(CLASS_FILE)]
    return _compiled(text).render(context)


@cache
def _compiled(text: str) -> Template:
    return _environment().from_string(text)
