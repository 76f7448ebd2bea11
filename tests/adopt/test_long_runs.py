"""A run over many classes: each is written when it is done, and what was killed goes on."""

import ast
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from scaffold.adopt.emit.class_suite import Adopted
from scaffold.adopt.journal import PLACE, Journal
from scaffold.adopt.report import LeftOut, Outcome, Report
from scaffold.adopt.report.run_report import SCREEN
from scaffold.errors import ScaffoldError
from scaffold.files.fileset import File
from tests.support.projects import environment, scaffold
from tests.support.trees import read_tree, write_tree

CLASSES = "from typing import NamedTuple\n\nimport jax\n\n" + "".join(
    f"\nclass {name}(NamedTuple):\n    weight: jax.Array\n\n"
    for name in ("First", "Second", "Third", "Fourth")
)
SAID = ("adopt", "many.py", "--python", sys.executable, "--json")


def outcome(name: str, **changes: object) -> Outcome:
    file = File(PurePosixPath(f"tests/test_{name.lower()}.py"), "x = 1\n")
    found = {"called": True, "methods": ["value"], "arguments": [["x", "sample(seed)", False]]}
    return Outcome(Adopted("many", name, name.lower(), found, [("p05_", "why")]), file=file, **changes)  # pyright: ignore[reportArgumentType]


def test_a_journal_gives_back_what_was_noted_and_drops_half_a_line(tmp_path: Path) -> None:
    journal = Journal(tmp_path, {"targets": ["many"]}, resume=False)
    journal.begin()
    noted = [outcome("First", report={"passed": 3, "findings": []}), outcome("Second", seconds=2.5)]
    for one in noted:
        journal.add(one)
    with (tmp_path / PLACE).open("ab") as file:
        file.write(b'{"one": {"mod')
    again = Journal(tmp_path, {"targets": ["many"]}, resume=True)
    assert [one.to_json() for one in again.outcomes.values()] == [one.to_json() for one in noted]
    assert [one.file for one in again.outcomes.values()] == [one.file for one in noted]
    again.begin()
    again.end()
    assert not (tmp_path / PLACE).exists()


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"targets": ["other"]}, "had other targets or options"),
        (None, "no run was ended before its last class"),
    ],
)
def test_a_run_that_was_not_ended_cannot_go_on(
    tmp_path: Path, options: dict[str, list[str]] | None, what: str
) -> None:
    if options is not None:
        Journal(tmp_path, options, resume=False).begin()
    with pytest.raises(ScaffoldError, match=what):
        Journal(tmp_path, {"targets": ["many"]}, resume=True)


def test_slow_classes_are_named() -> None:
    report = Report((outcome("First", seconds=3.0), outcome("Second", seconds=71.0)))
    assert "\nslowest: many:Second 71 s" in report.text() and "3 s" not in report.text()


@pytest.mark.parametrize("count", [1, 12, 13, pytest.param(300, marks=pytest.mark.slow)])
def test_the_report_of_any_number_of_classes_fits_on_a_screen(count: int) -> None:
    def found(n: int, law: str, severity: str) -> dict[str, str]:
        text = {
            "what": f"it breaks {law} in way {'x' * (n % 9)}",
            "where": "weight",
            "hint": "",
            "fix": "mend it",
        }
        return {
            "law": law,
            "name": "a law",
            "severity": severity,
            "test": "test_p01_x",
            "shows": "a\nb\nc",
            **text,
        }

    def broken(n: int) -> Outcome:
        findings = [found(n, f"P{n % 21 + 1}", severity) for severity in ("fault", "cost", "advice")]
        errors = [{"test": f"test_p{n}", "what": "TypeError: it broke", "where": "p.py:3"}]
        report = {"passed": 3, "findings": findings, "errors": errors if n % 5 == 0 else []}
        return outcome(f"Broken{n}", report=report, seconds=30.0)

    missing = [
        Outcome(Adopted("many", f"Missing{n}", "m", {}), why="no arguments") for n in range(count // 3)
    ]
    left_out = tuple(LeftOut("many", f"Base{n}", "it is abstract") for n in range(count // 3))
    report = Report((*map(broken, range(count)), *missing), left_out)
    lines = report.text().splitlines()
    assert len(lines) <= SCREEN
    assert any(line.startswith("  fault") for line in lines)
    assert all(f"many:Broken{n}" in report.markdown() for n in range(count))


def killed_when(folder: Path, count: int) -> None:
    """Begins a run, and kills it when so many classes are noted as done."""
    command = [sys.executable, "-m", "scaffold", *SAID]
    nothing = subprocess.DEVNULL
    process = subprocess.Popen(command, cwd=folder, env=environment(), stdout=nothing, stderr=nothing)
    while process.poll() is None and len(journal_entries(folder)) < count:
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL


def journal_entries(folder: Path) -> list[dict[str, Any]]:
    """The classes that a run has noted as done; what follows the last newline is half a line."""
    journal = folder / PLACE
    lines = journal.read_bytes().split(b"\n")[1:-1] if journal.exists() else []
    return [json.loads(line) for line in lines]


@pytest.mark.slow  # a run that ends by itself is tried in every run
def test_a_killed_run_keeps_what_is_done_and_goes_on(tmp_path: Path) -> None:
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    for folder in (killed, whole):
        write_tree(folder, {"many.py": CLASSES, "pyproject.toml": '[project]\nname = "many"\n'})
    killed_when(killed, 2)
    written = read_tree(killed / "tests")
    noted = len(journal_entries(killed))
    assert noted in (2, 3) and sum("test_" in str(path) for path in written) >= noted
    resumed = scaffold(killed, *SAID, "--resume")
    assert scaffold(whole, *SAID).returncode == resumed.returncode == 0, resumed.stderr
    told = json.loads(resumed.stdout)
    assert [one["class"] for one in told["classes"]] == [
        f"many:{name}" for name in ("First", "Fourth", "Second", "Third")
    ]
    assert resumed.stderr.count("many:") == 4 - noted  # a line for each class that is looked at
    assert read_tree(killed) == read_tree(whole)


MANY = 300
OF_EACH_STYLE = """
class Pair{n}(NamedTuple):
    weight: jax.Array


class Scale{n}(eqx.Module):
    weight: jax.Array

    def __call__(self, x):
        return self.weight * x


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Shift{n}:
    weight: jax.Array

    def __call__(self, x):
        return self.weight + x
"""


@pytest.mark.slow  # each run tries the same on four classes
def test_a_run_over_300_classes_killed_half_way_loses_nothing(tmp_path: Path) -> None:
    head = "import dataclasses\nfrom typing import NamedTuple\n\nimport equinox as eqx\nimport jax\n\n"
    classes = "\n".join(OF_EACH_STYLE.replace("{n}", f"{n:03}") for n in range(MANY // 3))
    write_tree(tmp_path, {"many.py": head + classes, "pyproject.toml": '[project]\nname = "many"\n'})
    killed_when(tmp_path, MANY // 2)
    half = read_tree(tmp_path)
    noted = [one["one"]["stem"] for one in journal_entries(tmp_path)]
    assert MANY // 2 <= len(noted) < MANY
    for stem in noted:
        ast.parse(half[f"tests/test_{stem}.py"])
        assert f"TestPair{stem[-3:]}" in half[f"tests/test_{stem}.py"].decode() or "pair" not in stem
    resumed = scaffold(tmp_path, *SAID, "--resume")
    report = json.loads(resumed.stdout)
    assert len(report["classes"]) == MANY
    assert {one["state"] for one in report["classes"]} == {"adopted"} and not any(
        one["errors"] for one in report["classes"]
    )
    assert resumed.stderr.count("many:") == MANY - len(noted)
    whole = read_tree(tmp_path)
    assert sum(path.startswith("tests/test_") for path in whole) == MANY
    kept = {path for path in half if any(path == f"tests/test_{stem}.py" for stem in noted)}
    assert len(kept) == len(noted) and all(whole[path] == half[path] for path in kept)
    assert not (tmp_path / PLACE).exists()


LAST = """
import os
import sys

import equinox as eqx
import jax


class Adult(eqx.Module):
    weight: jax.Array

    def __call__(self, x):
        if any("pytree_laws" in name and ".laws." in name for name in callers()):
            os._exit(3)  # the search goes through, and the laws end the process
        return self.weight * x


class Child(eqx.Module):
    weight: jax.Array

    def __call__(self, x):
        return self.weight * x


def callers():
    frame = sys._getframe()
    while frame is not None:
        yield frame.f_globals.get("__name__", "")
        frame = frame.f_back
"""


@pytest.mark.slow  # tests/adopt/strangers has imports that end the process
def test_a_class_that_ends_its_process_within_the_laws_costs_no_other(tmp_path: Path) -> None:
    write_tree(tmp_path, {"last.py": LAST})
    ran = scaffold(tmp_path, "adopt", "last.py", "--python", sys.executable, "--json", "--dry-run")
    adult, child = json.loads(ran.stdout)["classes"]
    assert adult["errors"] == ["it ended with 3"]
    assert child["state"] == "adopted" and child["passed"] > 20


SET = """
import jax


class Base:
    fields = frozenset({"loc", "scale", "rate", "shape", "mean", "width"})

    def __init__(self, value: jax.Array):
        for name in self.fields:
            setattr(self, name, value + len(name))


@jax.tree_util.register_pytree_node_class
class Loose(Base):
    def tree_flatten(self):
        return tuple(getattr(self, name) for name in self.fields), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        self = object.__new__(cls)
        for name, child in zip(cls.fields, children):
            setattr(self, name, child)
        return self
"""


@pytest.mark.slow  # its neighbours are tried in every run
def test_leaves_that_come_in_another_order_in_another_process_are_a_fault(tmp_path: Path) -> None:
    right = (
        SET.replace('frozenset({"loc"', '("loc"').replace('"width"})', '"width")').replace("Loose", "Fixed")
    )
    write_tree(tmp_path, {"loose.py": SET, "fixed.py": right})
    ran = scaffold(
        tmp_path, "adopt", "loose.py", "fixed.py", "--python", sys.executable, "--json", "--dry-run"
    )
    loose, fixed = json.loads(ran.stdout)["classes"]
    [finding] = [one for one in loose["findings"] if "HASHSEED" in one["what"]]
    assert "with PYTHONHASHSEED=0, and as " in finding["what"]
    assert not [one for one in fixed["findings"] if "HASHSEED" in one["what"]]


SLOW = """
import time

import equinox as eqx
import jax


class Net(eqx.Module):
    weight: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * x

    def doubled(self, x: jax.Array) -> jax.Array:
        return 2 * self.weight * x

    def refined(self, x: jax.Array) -> jax.Array:
        time.sleep(60)
        return self.weight + x
"""


@pytest.mark.slow
def test_what_is_not_looked_at_in_time_is_said_and_what_is_found_stays(tmp_path: Path) -> None:
    write_tree(tmp_path, {"slow.py": SLOW})
    ran = scaffold(tmp_path, "adopt", "slow.py", "--python", sys.executable, "--time-limit", "8")
    line = ran.stdout.split("\n")[0]
    assert "its other methods not all looked at, since it took more than 8 seconds" in line, ran.stdout
    text = (tmp_path / "tests/test_net.py").read_text()
    assert "doubled" in text and "refined" not in text
