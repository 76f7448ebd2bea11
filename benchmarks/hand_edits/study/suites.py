"""Suites of generated classes in folders of their own, run by pytest as a user runs them."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

from benchmarks.hand_edits.edit import Edit
from benchmarks.mutants import EXAMPLES

SPECS = Path(__file__).parent / "specs"
NUMBERS = Path("tests", "numbers")
RECORD = "test_p19"
"""How the names of the tests begin that compare with the record."""
_SKIPPED = shutil.ignore_patterns("__pycache__", "numbers", "project", ".*")


@dataclass(frozen=True)
class Failure:
    """A test that failed, and what it said."""

    test: str
    message: str


@dataclass(frozen=True)
class Outcome:
    """The failures of an edit, in the order in which the tests ran."""

    edit: Edit
    unrecorded: tuple[Failure, ...]
    """At a first run, which finds no record."""
    recorded: tuple[Failure, ...]
    """With the numbers that the first run of the right class recorded."""


class Folders:
    """The right classes with their recorded numbers: those of `specs/`, and the generated examples."""

    def __init__(self, root: Path, specs: Path = SPECS) -> None:
        self.study, self.examples, self.specs = root / "study", root / "examples", specs
        shutil.copytree(specs, self.study / "specs", ignore=_SKIPPED)
        command = [sys.executable, "-m", "scaffold", "new-module", "--spec", *_names(self.study / "specs")]
        subprocess.run(command, cwd=self.study, check=True, capture_output=True)
        shutil.copytree(EXAMPLES, self.examples, ignore=_SKIPPED)

    def folder_of(self, example: str) -> Path:
        return self.study if (self.specs / f"{example}.py").exists() else self.examples

    def record(self, examples: Iterable[str]) -> None:
        """Run the suites of the right classes for the first time; `ValueError` where a test fails."""
        for example in examples:
            if failures := run_suite(self.folder_of(example), example):
                raise ValueError(f"{example}: {failures[0].test}: {failures[0].message}")

    def judge(self, edit: Edit) -> Outcome:
        """Run the suite on the edit, without a record and with it."""
        return Outcome(edit, self.failures(edit, record=False), self.failures(edit, record=True))

    def failures(self, edit: Edit, *, record: bool, first: bool = False) -> tuple[Failure, ...]:
        """The failures of an edit, or the first of them, with the record of the right class or without one."""
        with TemporaryDirectory() as name:
            folder = Path(name, "project")
            self.copy_with(edit, folder)
            if not record:
                shutil.rmtree(folder / NUMBERS)
            return first_failure(folder, edit.example) if first else run_suite(folder, edit.example)

    def copy_with(self, edit: Edit, folder: Path) -> None:
        """Copy the right class with its record, and edit the copy."""
        shutil.copytree(self.folder_of(edit.example), folder)
        module = folder / edit.place
        module.write_text(edit.applied(module.read_text(encoding="utf-8")), encoding="utf-8")


def run_pytest(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run pytest in a process of its own, as on the machine of a user: nothing of `CI` or of another run is told to it."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider"]
    environment = {
        key: value for key, value in os.environ.items() if key != "CI" and not key.startswith("PYTREE_LAWS_")
    }
    environment |= {"JAX_PLATFORMS": "cpu", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([*command, *arguments], cwd=folder, env=environment, capture_output=True, text=True)


def run_suite(folder: Path, example: str, *arguments: str) -> tuple[Failure, ...]:
    """Run the tests of one class in a process of its own."""
    with TemporaryDirectory() as name:
        report = Path(name, "report.xml")
        done = run_pytest(folder, f"tests/test_{example}.py", f"--junitxml={report}", *arguments)
        if not report.exists():
            raise RuntimeError(done.stdout + done.stderr)
        return tuple(_failures(report))


def first_failure(folder: Path, example: str) -> tuple[Failure, ...]:
    """The first test of one class that fails: those of the record are asked first, which notice most edits."""
    by_record = run_suite(folder, example, "--exitfirst", "-k", RECORD)
    return by_record or run_suite(folder, example, "--exitfirst", "-k", f"not {RECORD}")


def _failures(report: Path) -> Iterable[Failure]:
    for case in ElementTree.parse(report).iter("testcase"):
        for fault in (*case.iter("failure"), *case.iter("error")):
            yield Failure(case.get("name", ""), fault.get("message", ""))


def _names(specs: Path) -> list[str]:
    return [f"specs/{path.name}" for path in sorted(specs.glob("*.py"))]
