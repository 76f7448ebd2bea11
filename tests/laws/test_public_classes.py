"""Public classes under five lines: each is clean, or has the finding that docs/laws.md states."""

import pathlib

import pytest
from public_classes import PUBLIC, Public

from pytree_laws import check_pytree

DOCUMENT = pathlib.Path(__file__).parents[2] / "docs" / "laws.md"


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_class_is_clean_or_has_its_true_finding(name: str) -> None:
    one: Public = PUBLIC[name]
    report = check_pytree(one.build, one.arguments, call=one.call)
    assert {finding.law.number for finding in report.findings} == set(one.found), str(report)
    assert len(report.passed) > 35


def test_they_are_many_and_of_many_libraries() -> None:
    assert len(PUBLIC) >= 25
    assert len({name.split(".")[0] for name in PUBLIC}) >= 8


def test_the_page_has_each_finding() -> None:
    rows = [line.split(" | ") for line in DOCUMENT.read_text().splitlines() if line.startswith("| `")]
    told = {row[0].strip("| `"): row[1] for row in rows}
    assert {name: ", ".join(one.found) or "none" for name, one in PUBLIC.items()} == {
        name: laws for name, laws in told.items() if name in PUBLIC
    }
