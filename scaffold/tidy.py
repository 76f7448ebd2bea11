"""Files formatted by one call of ruff with pinned settings, and parsed, before anything is written."""

import ast
import os
import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from scaffold.errors import ScaffoldError
from scaffold.fileset import File

OPTIONS = (
    "format",
    "--isolated",
    "--no-cache",
    "--silent",
    "--line-length",
    "88",
    "--target-version",
    "py311",
)


@cache
def _ruff() -> str:
    # Here, since --help needs no formatter. The package has no stubs.
    from ruff import find_ruff_bin  # pyright: ignore[reportMissingTypeStubs]

    return find_ruff_bin()


def tidy(files: Iterable[File]) -> tuple[File, ...]:
    """The files with their Python formatted. Raises `ScaffoldError` for Python that does not parse."""
    listed = tuple(files)
    python = [index for index, file in enumerate(listed) if file.path.suffix == ".py"]
    formatted = dict(zip(python, _format([listed[index] for index in python]), strict=True))
    return tuple(
        File(file.path, formatted[index], keep=file.keep) if index in formatted else file
        for index, file in enumerate(listed)
    )


def _format(files: list[File]) -> list[str]:
    """The texts as ruff formats them, which parses them too."""
    if not files:
        return []
    with _scratch_folder() as folder:
        paths = [Path(folder, f"{index}.py") for index in range(len(files))]
        for path, file in zip(paths, files, strict=True):
            path.write_bytes(file.content)
        result = subprocess.run([_ruff(), *OPTIONS, folder], capture_output=True, text=True, check=False)
        if result.returncode:
            for file in files:
                _parse(file)
            raise ScaffoldError(
                f"ruff could not format the code: {result.stderr.strip()}",
                where="ruff",
                fix="report this: the spec passed every check",
            )
        return [path.read_bytes().decode() for path in paths]


def _scratch_folder() -> TemporaryDirectory[str]:
    """A folder for ruff to work in: in memory where there is one, since a disk flushes what ruff rewrites."""
    memory = "/dev/shm"
    return TemporaryDirectory(prefix="scaffold-", dir=memory if os.access(memory, os.W_OK) else None)


def _parse(file: File) -> None:
    """Refuse a file that is no Python, by its own name."""
    try:
        ast.parse(file.text)
    except SyntaxError as error:
        raise ScaffoldError(
            f"the code for {file.path} would not parse: {error.msg} (line {error.lineno})",
            where=str(file.path),
            fix="look for an expression or a body in the spec that is only half a statement",
        ) from None
