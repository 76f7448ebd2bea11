"""Families of tests of which each run tries a part: `spread(n)` leaves all but every n-th parameter to `pytest -m slow`."""

import re
import sys

import pytest

from tests.support.projects import REPOSITORY, run


@pytest.mark.spread(3)
@pytest.mark.parametrize("letter", "abcde")
def test_a_family(letter: str) -> None:
    assert letter in "abcde"


@pytest.mark.spread(2)
@pytest.mark.parametrize("letter", "xyz")
def test_another_family(letter: str) -> None:
    assert letter in "xyz"


@pytest.mark.parametrize(("marker", "letters"), [("slow", "bcey"), ("not slow", "adxz")])
def test_each_parameter_is_in_one_of_two_runs(marker: str, letters: str) -> None:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", marker, __file__]
    listed = run(command, REPOSITORY).stdout
    assert "".join(re.findall(r"family\[(\w)\]", listed)) == letters, listed
