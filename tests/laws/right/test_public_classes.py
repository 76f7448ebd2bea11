"""Public classes under five lines: each is clean, or has the finding that docs/laws.md states."""

import pathlib
from collections.abc import Mapping
from typing import Any

import pytest

from pytree_laws import LawBroken, check, check_pytree
from pytree_laws.trace.programs import settings
from right.public_classes import PUBLIC, Public
from right.public_modules import MODULES, Module

DOCUMENT = pathlib.Path(__file__).parents[3] / "docs" / "laws.md"


def names(table: Mapping[str, Public | Module]) -> list[Any]:
    return [pytest.param(name, marks=[pytest.mark.slow] * one.slow) for name, one in table.items()]


@pytest.mark.spread(8)
@pytest.mark.parametrize("name", names(PUBLIC))
def test_a_public_class_is_clean_or_has_its_true_finding(name: str) -> None:
    one: Public = PUBLIC[name]
    report = check_pytree(one.build, one.arguments, call=one.call)
    assert {finding.law.number for finding in report.findings} == set(one.found), str(report)
    assert len(report.passed) > 20


@pytest.mark.spread(3)
@pytest.mark.parametrize("name", names(MODULES))
def test_a_public_module_is_clean(name: str) -> None:
    passed = 0
    with settings():
        for _, test in check.tests_of(MODULES[name].suite()()):
            try:
                check.run(test)
                passed += 1
            except LawBroken as broken:
                pytest.fail(str(broken))
            except pytest.skip.Exception:
                pass
    assert passed > 45


def test_they_are_many_and_of_many_libraries() -> None:
    assert len({*PUBLIC, *MODULES}) > 70
    assert len({name.split(".")[0] for name in (*PUBLIC, *MODULES)}) >= 11


def test_the_page_has_each_finding() -> None:
    rows = [line.split(" | ") for line in DOCUMENT.read_text().splitlines() if line.startswith("| `")]
    told = {row[0].strip("| `"): row[1] for row in rows}
    found = {name: ", ".join(one.found) for name, one in PUBLIC.items()} | dict.fromkeys(MODULES, "")
    assert {name: laws or "none" for name, laws in found.items()} == {
        name: laws for name, laws in told.items() if name in found
    }
