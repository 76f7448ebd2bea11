"""`--test`: runs the tests that a plan writes, with the interpreter of the project."""

import os
import shlex
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from msgspec import Struct

from scaffold.cli.next_steps import imported_by, test_files
from scaffold.cli.terminal import hint
from scaffold.errors import ScaffoldError
from scaffold.interpreter import find_python

if TYPE_CHECKING:
    from scaffold.files.fileset import Plan
    from scaffold.in_project.layout import Layout

_STDERR = 2
_MISSING = """\
import importlib.util, sys
print(*(name for name in sys.argv[1:] if importlib.util.find_spec(name) is None))
"""


class Tests(Struct, frozen=True):
    """The tests of a plan, and the command of the interpreter that runs them."""

    python: Sequence[str]
    root: Path
    files: tuple[PurePosixPath, ...]

    @property
    def command(self) -> list[str]:
        """The command that runs them in `root`."""
        return [*self.python, "-m", "pytest", "-q", *map(str, self.files)]

    def passes(self, *, as_json: bool) -> bool:
        """Run pytest, whose output goes to stdout, or to stderr with `as_json`. True where all tests pass."""
        hint(f"tests: {shlex.join(self.command)}")
        # As the script `pytest`, which does not put the current folder on the path.
        environment = {**os.environ, "PYTHONSAFEPATH": "1"}
        ran = subprocess.run(
            self.command,
            cwd=self.root,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=_STDERR if as_json else None,
            check=False,
        )
        return ran.returncode == 0

    def to_json(self, *, ok: bool) -> dict[str, object]:
        """The tests and whether they passed, as plain JSON."""
        return {"ok": ok, "files": [*map(str, self.files)]}


def tests_of(plan: "Plan", layout: "Layout") -> Tests | None:
    """The tests of a plan, None where it writes none.

    Raises `ScaffoldError` where the interpreter of the project lacks what they import.
    """
    files = tuple(test_files(plan, layout))
    if not files:
        return None
    python = find_python(None, layout.root)
    if not plan.commands:  # which may install what is missing
        _check_modules(python, layout.root, imported_by(plan))
    return Tests(python, layout.root, files)


def _check_modules(python: Sequence[str], root: Path, names: Iterable[str]) -> None:
    folder = root if root.is_dir() else None  # the plan makes it
    ran = subprocess.run(
        [*python, "-c", _MISSING, *names], cwd=folder, capture_output=True, text=True, check=False
    )
    if ran.returncode:
        message = f"the interpreter does not run: {ran.stderr.strip().rpartition(chr(10))[2]}"
        fix = "activate the environment of your project, or leave `--test` out"
        raise ScaffoldError(message, where=shlex.join(python), fix=fix, exit_code=1)
    if missing := ran.stdout.split():
        names = ", ".join(f"`{name}`" for name in missing)
        message = f"the interpreter has no {names}, which the tests import"
        install = shlex.join([*python, "-m", "pip", "install", *missing])
        fix = f"run `{install}`, activate another environment, or leave `--test` out"
        raise ScaffoldError(message, where=shlex.join(python), fix=fix, exit_code=1)
