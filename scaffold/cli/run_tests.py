"""Option `--test`, which runs the tests of a plan with the project's interpreter.

If a class has no tests, because no example is given, `scaffold adopt` looks for an example and runs it.
"""

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
    from scaffold.adopt import Report
    from scaffold.files.fileset import Plan
    from scaffold.in_project.layout import Layout

_STDERR = 2
_MISSING = """\
import importlib.util, sys
print(*(name for name in sys.argv[1:] if importlib.util.find_spec(name) is None))
"""


class Tests(Struct, frozen=True):
    """Test files of a plan, and the command of their interpreter."""

    python: Sequence[str]
    root: Path
    files: tuple[PurePosixPath, ...]
    without_example: tuple[str, ...] = ()
    """Classes without tests, as targets of `scaffold adopt`."""

    @property
    def command(self) -> list[str]:
        """Command that runs the tests in `root`."""
        return [*self.python, "-m", "pytest", "-q", *map(str, self.files)]

    def run(self, *, as_json: bool) -> "Results":
        """Run the tests, with output on stdout, or on stderr with `as_json`."""
        passed = not self.files or self._passes(as_json=as_json)
        return Results(
            passed, self.files, _adopted(self.without_example, self.root) if self.without_example else None
        )

    def _passes(self, *, as_json: bool) -> bool:
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


class Results(Struct, frozen=True):
    """Outcome of the tests of a plan."""

    passed: bool
    files: tuple[PurePosixPath, ...]
    adopted: "Report | None"
    """Report of `scaffold adopt` on the classes without tests."""

    @property
    def ok(self) -> bool:
        """Whether all tests pass, including those that `scaffold adopt` wrote."""
        return self.passed and (self.adopted is None or not self.adopted.fails)

    def to_json(self) -> dict[str, object]:
        """Return the test files and the outcome as plain JSON."""
        adopted = {} if self.adopted is None else {"adopted": self.adopted.to_json()}
        return {"ok": self.ok, "files": [*map(str, self.files)], **adopted}


def tests_of(plan: "Plan", layout: "Layout") -> Tests | None:
    """Return the tests of a plan, or None if it writes none.

    Raises `ScaffoldError` if the project's interpreter lacks a module that they import.
    """
    files = tuple(test_files(plan, layout))
    if not (files or plan.without_example):
        return None
    python = find_python(None, layout.root)
    if not plan.commands:  # which may install what is missing
        _check_modules(python, layout.root, imported_by(plan))
    return Tests(python, layout.root, files, plan.without_example)


def _adopted(targets: tuple[str, ...], root: Path) -> "Report":
    """Adopt the classes without tests, and publish their suites."""
    from scaffold.adopt import Wanted, adopt
    from scaffold.cli.outcome import published
    from scaffold.cli.progress import class_progress
    from scaffold.in_project.layout import find_layout

    hint(f"tests: scaffold adopt {shlex.join(targets)}")
    return adopt(Wanted(targets), find_layout(root), Path.cwd(), class_progress, published)[1]


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
