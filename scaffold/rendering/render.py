"""Rendering by Jinja2 alone, because importing Copier would cost several times a whole run."""

import ast
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path, PurePosixPath
from typing import Any

from jinja2 import Environment, FileSystemBytecodeCache, StrictUndefined, Template
from jinja2.bccache import Bucket
from jinja2.sandbox import ImmutableSandboxedEnvironment

from scaffold.errors import ScaffoldError
from scaffold.rendering.template_files import CLASS_FILE, SUFFIX, our_sources, read_sources

OPTIONS: dict[str, Any] = {
    "undefined": StrictUndefined,
    "trim_blocks": True,
    "lstrip_blocks": True,
    "keep_trailing_newline": True,
}
"""Options equal to `_envops` in every `copier.yml`, so that Copier renders the same bytes."""
CLOSED = frozenset({".git", ".scaffold", ".scaffold-lock"})
"""Names of folders that must not receive generated files."""


@cache
def _environment() -> Environment:
    # Source code is not HTML: escaping would break it. A template may be somebody else's, and gets at nothing but its context.
    return ImmutableSandboxedEnvironment(autoescape=False, **OPTIONS)


def render(
    name: str, context: Mapping[str, Any], folder: Path | None = None
) -> Iterator[tuple[PurePosixPath, str]]:
    """Yield path and text of each file from the templates `name`, or from the project's `folder`."""
    yield from render_named(name, "", context, folder)


def render_named(
    name: str, ends: str, context: Mapping[str, Any], folder: Path | None = None
) -> Iterator[tuple[PurePosixPath, str]]:
    """Yield path and text of each file whose template's path ends in `ends`."""
    # Ours are read once; those of a project change while somebody works on them.
    sources = our_sources(name) if folder is None else read_sources(folder)
    wanted = [(path.removesuffix(SUFFIX), text) for path, text in sources if path.endswith(ends)]
    if folder is not None:
        yield from _rendered_apart(folder, wanted, context)
        return
    for path, text in wanted:
        # Both at once: to begin costs more than to lay out a path.
        target, _, laid_out = compiled(f"{path}\n{text}").render(context).partition("\n")
        yield PurePosixPath(target), laid_out


def _rendered_apart(
    folder: Path, sources: Sequence[tuple[str, str]], context: Mapping[str, Any]
) -> Iterator[tuple[PurePosixPath, str]]:
    """Render a project's templates. Raises `ScaffoldError` for a path inside a closed folder."""
    from scaffold.rendering.apart import rendered_apart  # here, because most projects have none

    files = rendered_apart(folder, sources, context)
    for (path, _), (target, text) in zip(sources, files, strict=True):
        if closed := CLOSED & {part.casefold() for part in PurePosixPath(target).parts}:
            message = f"it lays out `{target}`, and nothing goes into `{min(closed)}`"
            fix = "give the template another path"
            raise ScaffoldError(message, where=f"{folder.name}/{path}{SUFFIX}", fix=fix)
        yield PurePosixPath(target), text


def render_class(name: str, context: Mapping[str, Any], folder: Path | None = None) -> str:
    """Return the text of the class's file."""
    [(path, text)] = render_named(name, CLASS_FILE, context, folder)
    if folder is not None:
        _check_python(text, path, folder)
    return text


def _check_python(text: str, path: PurePosixPath, folder: Path) -> None:
    try:
        ast.parse(text)
    except SyntaxError as error:
        line = text.splitlines()[(error.lineno or 1) - 1 :][:1]
        message = f"what the template lays out as `{path}` is not Python: {error.msg}, in `{' '.join(line).strip()}`"
        raise ScaffoldError(message, where=folder.name, fix="mend the template") from None


def line_of(error: BaseException) -> int | None:
    """Return the line of the template that raised the error, if known."""
    below = error.__traceback__
    lines: list[int] = []
    while below is not None:
        if below.tb_frame.f_code.co_filename == "<template>":
            lines.append(below.tb_lineno)
        below = below.tb_next
    return lines[-1] if lines else None


class _Bytecode(FileSystemBytecodeCache):
    """Cache of compiled templates beside Python's own bytecode, unless Python writes none."""

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Store a template, and ignore errors of the system."""
        if not sys.dont_write_bytecode:
            with suppress(OSError):
                super().dump_bytecode(bucket)


@cache
def _bytecode() -> _Bytecode:
    folder = Path(cache_from_source(__file__)).parent
    return _Bytecode(str(folder), f"template-{sys.implementation.cache_tag}-%s.bytecode")


@cache
def compiled(text: str) -> Template:
    """Compile a template, or load it from the cache."""
    environment = _environment()
    bucket = _bytecode().get_bucket(environment, text, None, text)
    if bucket.code is None:
        bucket.code = environment.compile(text)
        _bytecode().set_bucket(bucket)
    return Template.from_code(environment, bucket.code, environment.make_globals(None))
