"""Formatting by ruff in batches, before anything is written. Invalid Python is refused."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import cache
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from scaffold.errors import ScaffoldError
from scaffold.files.fileset import File

OPTIONS = (
    "format",
    "--isolated",
    "--no-cache",
    "--silent",
    "--target-version",
    "py311",
)
_SORT = (
    "check",
    "--isolated",
    "--no-cache",
    "--silent",
    "--target-version",
    "py311",
    "--select",
    "I",
    "--fix",
)
_BATCH = 64
"""Files for a single call of ruff, enough that its start costs little."""
_FOR_A_THREAD = 8
"""Number of files that ruff formats faster than it starts threads."""


class Style(Struct, frozen=True):
    """The project's code style, as arguments of ruff."""

    format: tuple[str, ...] = ("--line-length", "88")
    sort: tuple[str, ...] = ()
    """Arguments of `ruff check`, where imports have an order that differs from the default."""


@cache
def ruff_program() -> str:
    """Return the path of ruff."""
    beside = Path(sys.executable).with_name(
        "ruff"
    )  # in an environment; asking the package loads all of sysconfig
    if beside.is_file():
        return str(beside)
    # The package has no stubs.
    from ruff import find_ruff_bin  # pyright: ignore[reportMissingTypeStubs]

    return find_ruff_bin()


def tidy(files: Iterable[File], style: Style | None = None) -> tuple[File, ...]:
    """Format the Python among the files. Raises `ScaffoldError` for invalid Python.

    If `files` is a lazy iterator, ruff formats a batch while the next is rendered.
    """
    remaining, style = iter(files), style or Style()
    with _scratch_folder() as folder, ExitStack() as running:
        batches: list[tuple[list[File], Path, subprocess.Popen[str] | None]] = []
        while batch := [*islice(remaining, _BATCH)]:
            place = Path(folder, str(len(batches)))
            batches.append((batch, place, _start(batch, place, running, style.format)))
        return tuple(file for batch in batches for file in _finished(*batch, style.sort))


def _start(
    files: Sequence[File], folder: Path, running: ExitStack, style: Sequence[str]
) -> subprocess.Popen[str] | None:
    """Start ruff on the Python files of a batch, each under its number. Return None if there are none."""
    folder.mkdir()
    python = [(index, file) for index, file in enumerate(files) if _is_python(file)]
    for index, file in python:
        (folder / f"{index}.py").write_bytes(file.content)
    return running.enter_context(_ruff(folder, len(python), style)) if python else None


def _ruff(folder: Path, files: int, style: Sequence[str]) -> subprocess.Popen[str]:
    threads = {"RAYON_NUM_THREADS": "1"} if files <= _FOR_A_THREAD else {}
    command, environment = [ruff_program(), *OPTIONS, *style, str(folder)], {**os.environ, **threads}
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )


def _finished(
    files: Sequence[File], folder: Path, ruff: subprocess.Popen[str] | None, sort: Sequence[str]
) -> Iterator[File]:
    """Yield the batch as ruff has formatted it. Raises `ScaffoldError` if ruff refuses a file."""
    error = ruff.communicate()[1] if ruff is not None else ""
    if ruff is not None and ruff.returncode:
        raise _refused(files, error)
    if ruff is not None and sort:
        subprocess.run([ruff_program(), *_SORT, *sort, str(folder)], capture_output=True, check=False)
    for index, file in enumerate(files):
        if _is_python(file):
            text = (folder / f"{index}.py").read_bytes().decode()
            yield File(file.path, text, keep=file.keep)
        else:
            yield file


def _refused(files: Sequence[File], error: str) -> ScaffoldError:
    for file in filter(_is_python, files):
        _parse(file)
    message = f"ruff could not format the code: {error.strip()}"
    return ScaffoldError(message, where="ruff", fix="report this: the spec passed every check")


def _is_python(file: File) -> bool:
    return file.path.suffix == ".py"


def _scratch_folder() -> TemporaryDirectory[str]:
    """Open a folder for ruff, in memory where possible, since a disk flushes each rewrite."""
    memory = "/dev/shm"
    return TemporaryDirectory(prefix="scaffold-", dir=memory if os.access(memory, os.W_OK) else None)


def _parse(file: File) -> None:
    """Raise `ScaffoldError` that names the file if it is invalid Python."""
    try:
        ast.parse(file.text)
    except SyntaxError as error:
        raise ScaffoldError(
            f"the code for {file.path} would not parse: {error.msg} (line {error.lineno})",
            where=str(file.path),
            fix="look for an expression or a body in the spec that is only half a statement",
        ) from None
