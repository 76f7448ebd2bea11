"""Option `--test`, which runs the tests of a plan with the project's interpreter.

If a class has no tests, because no example is given, `scaffold adopt` looks for an example and runs it.
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from msgspec import Struct

from scaffold.cli.next_steps import imported_by, test_files
from scaffold.cli.terminal import hint, is_terminal, wants_colour
from scaffold.errors import ScaffoldError
from scaffold.interpreter import find_python

if TYPE_CHECKING:
    from scaffold.adopt import Report
    from scaffold.files.fileset import Plan
    from scaffold.in_project.layout import Layout

_CHUNK = 4096
_SUITE = re.compile(r"^class (Test\w+)\(", re.MULTILINE)
_NOT_TRIED = re.compile(r"(\w+): not tried: the example of `(?:call|__call__|__init__)` ")
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
    untried: tuple[str, ...] = ()
    """Classes whose call the tests leave out."""

    @property
    def command(self) -> list[str]:
        """Command that runs the tests in `root`."""
        return [*self.python, "-m", "pytest", "-q", *map(str, self.files)]

    def run(self, *, as_json: bool) -> "Results":
        """Run the tests, with output on stdout, or on stderr with `as_json`."""
        status, said = self._ran(as_json=as_json) if self.files else (0, "")
        adopted = _adopted(self.without_example, self.root) if self.without_example else None
        return Results(status == 0, self.files, adopted, self._count(said))

    def _ran(self, *, as_json: bool) -> tuple[int, str]:
        """Run pytest, and return its exit code and what it said, which is shown as it comes."""
        hint(f"tests: {shlex.join(self.command)}")
        shown = sys.stderr if as_json else sys.stdout
        colour = ["--color=yes"] if is_terminal(shown) and wants_colour() is not False else []
        # As the script `pytest`, which does not put the current folder on the path.
        environment = {**os.environ, "PYTHONSAFEPATH": "1"}
        parts: list[bytes] = []
        with subprocess.Popen(
            [*self.command, *colour],
            cwd=self.root,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
        ) as process:
            assert process.stdout is not None
            while part := os.read(process.stdout.fileno(), _CHUNK):
                parts.append(part)
                shown.buffer.write(part)
                shown.flush()
        return process.returncode, b"".join(parts).decode("utf-8", "replace")

    def _count(self, said: str) -> str:
        """Return a line that counts the classes whose call was not tried, or an empty text."""
        texts = ((self.root / file).read_text("utf-8") for file in self.files)
        suites = dict.fromkeys(name for text in texts for name in _SUITE.findall(text))
        left = {*_NOT_TRIED.findall(said), *(f"Test{name}" for name in self.untried)}
        names = [name.removeprefix("Test") for name in suites if name in left]
        return f"{len(names)} of {len(suites)} classes: call not tried ({', '.join(names)})" if names else ""


class Results(Struct, frozen=True):
    """Outcome of the tests of a plan."""

    passed: bool
    files: tuple[PurePosixPath, ...]
    adopted: "Report | None"
    """Report of `scaffold adopt` on the classes without tests."""
    untried: str = ""
    """Count of the classes whose call was not tried, if any."""

    @property
    def ok(self) -> bool:
        """Whether all tests pass, including those that `scaffold adopt` wrote."""
        return self.passed and (self.adopted is None or not self.adopted.fails)

    def to_json(self) -> dict[str, object]:
        """Return the test files and the outcome as plain JSON."""
        adopted = {} if self.adopted is None else {"adopted": self.adopted.to_json()}
        return {"ok": self.ok, "files": [*map(str, self.files)], "untried": self.untried, **adopted}


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
    return Tests(python, layout.root, files, plan.without_example, plan.untried_calls)


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
