"""Context and templates to text. Jinja2 alone: importing Copier would cost several times a whole run."""

import ast
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from jinja2 import Environment, StrictUndefined, Template
from jinja2.sandbox import ImmutableSandboxedEnvironment

from scaffold.errors import ScaffoldError

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
    # Source code is not HTML: escaping would break it. A template may be somebody else's, and gets at nothing but its context.
    return ImmutableSandboxedEnvironment(autoescape=False, **OPTIONS)


@cache
def _sources(folder: Path) -> tuple[tuple[str, str], ...]:
    return _read(folder)


def _read(folder: Path) -> tuple[tuple[str, str], ...]:
    """Path and text of each template of a folder, sorted by path."""
    found = sorted(folder.rglob(f"*{SUFFIX}"))
    return tuple((path.relative_to(folder).as_posix(), path.read_text(encoding="utf-8")) for path in found)


def render(
    name: str, context: Mapping[str, Any], folder: Path | None = None
) -> Iterator[tuple[PurePosixPath, str]]:
    """Path and text of each file that a template lays out from `context`: the one called `name`, or one of the project in `folder`."""
    yield from render_named(name, "", context, folder)


def render_named(
    name: str, ends: str, context: Mapping[str, Any], folder: Path | None = None
) -> Iterator[tuple[PurePosixPath, str]]:
    """The same of the files alone whose template has a path that ends so."""
    # Ours are read once; those of a project change while somebody works on them.
    sources = _sources(templates_folder() / name) if folder is None else _read(folder)
    for path, text in sources:
        if path.endswith(ends):
            with _told_of(path, folder):
                target = _compiled(path.removesuffix(SUFFIX)).render(context)
                rendered = _compiled(text).render(context)
            yield PurePosixPath(target), rendered


def render_class(name: str, context: Mapping[str, Any], folder: Path | None = None) -> str:
    """The text alone of the one file of the folder that is named after the class."""
    [(path, text)] = render_named(name, CLASS_FILE, context, folder)
    if folder is not None:
        _check_python(text, path, folder)
    return text


def _check_python(text: str, path: PurePosixPath, folder: Path) -> None:
    try:
        ast.parse(text)
    except SyntaxError as error:
        line = text.splitlines()[(error.lineno or 1) - 1 :][:1]
        what = f"what the template lays out as `{path}` is not Python: {error.msg}, in `{' '.join(line).strip()}`"
        raise ScaffoldError(what, where=folder.name, fix="mend the template") from None


@contextmanager
def _told_of(path: str, folder: Path | None) -> Generator[None]:
    """Whatever is wrong with a template of the project's own is a fault, with its file and line; ours have none."""
    try:
        yield
    except Exception as error:  # a filter or an operator raises what it likes
        if folder is None:
            raise
        line = getattr(error, "lineno", None) or _line_of(error)
        where = f"{folder.name}/{path}" + (f":{line}" if line else "")
        fix = "mend the template; `scaffold show NAME --context` prints the names that it is given"
        raise ScaffoldError(str(error) or type(error).__name__, where=where, fix=fix) from None


def _line_of(error: BaseException) -> int | None:
    """The line of the template in which an error was raised."""
    below = error.__traceback__
    lines: list[int] = []
    while below is not None:
        if below.tb_frame.f_code.co_filename == "<template>":
            lines.append(below.tb_lineno)
        below = below.tb_next
    return lines[-1] if lines else None


@cache
def _compiled(text: str) -> Template:
    return _environment().from_string(text)
