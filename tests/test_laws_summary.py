"""What a run says at its end: findings by class and cause, what rests on them, and what was skipped."""

import re
import sys
from collections import Counter
from pathlib import Path

import pytest

from pytree_laws.summary import counted, one_line, told_rests
from tests.projects import REPOSITORY, run
from tests.support import write_tree

SUITE = '''
"""Tests that are skipped by a file of the laws, as far as pytest can tell, and one that is skipped here."""
from pathlib import Path

import pytest

from pytree_laws.summary import sum_up, __file__ as there

laws = {"pytest": pytest}
exec(compile("def skip(why): pytest.skip(why)", str(Path(there).with_name("some_law.py")), "exec"), laws)

class TestBoth:
    @pytest.fixture(autouse=True)
    def summed_up(self, request):
        sum_up(request.config)

    @pytest.mark.parametrize("why", ["no bounds are declared", "the class is not called", "the class is not called"])
    def test_law(self, why):
        laws["skip"](why)

    def test_own(self):
        pytest.skip("for a reason of the author's")
'''
BROKEN = """
import pytest

from pytree_laws import LawBroken
from pytree_laws.report import Finding
from pytree_laws.laws import LAWS
from test_both import TestBoth as Both, laws

class TestBroken(Both):
    def test_p05_no_leaf_is_weakly_typed(self):
        raise LawBroken(Finding(LAWS["P5"], "test_p05_no_leaf_is_weakly_typed", "weight", "it is weakly typed"))

    def test_p03_round_trip(self):
        raise LawBroken(Finding(LAWS["P3"], "test_p03_round_trip", "bias", "it is lost\\nwith more", "a hint"))

    @pytest.mark.parametrize("law", [9, 11])
    def test_p11_carries(self, law):
        laws["skip"]("it rests on P5, which is broken")

    def test_p06_one_trace(self):
        laws["skip"]("it rests on P5, which is broken")

    def test_that_is_no_law(self):
        assert False
"""
LINE = "laws skipped: 2 the class is not called, 1 no bounds are declared"
TOLD = """test_broken.py::TestBroken: 1 fault, 1 cost
  fault P3 round trip, at `bias`: it is lost
  cost  P5 static, at `weight`: it is weakly typed
  skipped, since P5 is broken: P6, P11 (3 tests)
"""


def pytest_of(folder: Path, *options: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    result = run(command, folder, env={"PYTHONPATH": str(REPOSITORY)})
    return result.returncode, result.stdout


@pytest.mark.parametrize(("options", "times"), [((), 1), (("-rs",), 0)], ids=["quiet", "-rs"])
def test_skipped_laws_are_summed_up_in_one_line(options: tuple[str, ...], times: int, tmp_path: Path) -> None:
    write_tree(tmp_path, {"test_one.py": SUITE, "test_two.py": "def test_nothing(): pass\n"})
    code, told = pytest_of(tmp_path, *options)
    assert code == 0, told
    assert told.splitlines().count(LINE) == times


# Under xdist the process that writes the end has imported no suite: it must be told, and nothing breaks where it is not.
@pytest.mark.parametrize(
    ("options", "times"),
    [((), 1), (("-n", "1"), 0), (("-n", "1", "-p", "pytree_laws.summary"), 1)],
    ids=["one process", "workers", "workers and the plugin"],
)
def test_findings_are_told_by_class_and_cause(options: tuple[str, ...], times: int, tmp_path: Path) -> None:
    write_tree(tmp_path, {"test_both.py": SUITE, "test_broken.py": BROKEN})
    code, told = pytest_of(tmp_path, *options)
    assert code == 1 and "3 failed, 11 skipped" in told, told
    assert told.count(TOLD) == times and len(re.findall("= pytree laws =", told)) == times
    assert "at `weight`: it is weakly typed" in told


def test_the_most_frequent_reason_comes_first() -> None:
    assert one_line(Counter({"b": 1, "a": 1, "c": 2})) == "laws skipped: 2 c, 1 a, 1 b"


def test_severities_are_counted_and_what_rests_is_told_by_number() -> None:
    found = [{"severity": one} for one in ("style", "fault", "fault", "cost", "style")]
    assert counted(found) == "2 faults, 1 cost, 2 of style" and counted([]) == ""
    why = "it rests on P2, which is broken"
    skipped = {"test_p11_x": why, "test_p05_x": why, "test_p05_y": why, "test_p01_z": "another reason"}
    assert told_rests(skipped) == ["skipped, since P2 is broken: P5, P11 (3 tests)"]
