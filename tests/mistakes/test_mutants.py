"""Mistakes that are made mechanically in the emitted examples are noticed by their generated tests."""

import ast
import re
from collections.abc import Sequence

import pytest

from benchmarks._equivalent import EQUIVALENT
from benchmarks._mistakes import MISTAKES, PRELUDE, mutants_of
from benchmarks.mutants import (
    EXAMPLES,
    FORMS,
    PAGE,
    Found,
    cases,
    judged,
    matrix,
    quick_cases,
    report,
    rewritten,
)

EMITTED = (path.stem.removeprefix("test_") for path in (EXAMPLES / "tests").glob("test_*.py"))
TESTED = sorted({*EMITTED} - {"autoencoder", "decoder", "shear"})
"""The examples of one class that the tool lays out: `autoencoder` and `decoder` have several, and `shear` is emitted as it is written."""


def survivors(found: Sequence[Found]) -> list[str]:
    return [one.name for one in found if one.verdict == "SURVIVED"]


@pytest.mark.slow  # tests/laws breaks each law, and tests/mistakes/test_broken_examples.py each form of class, in every run
def test_each_mistake_is_noticed_in_a_small_example() -> None:
    chosen = quick_cases()
    found = judged(chosen, 2)
    assert survivors(found) == []
    assert sum(one.verdict == "killed" for one in found) >= 60


@pytest.mark.slow
def test_the_mistakes_are_noticed_in_every_form_of_class() -> None:
    found = judged(cases(limit=2), 2)
    assert survivors(found) == []
    killed = [one for one in found if one.verdict == "killed"]
    assert len(killed) >= 590
    assert {law for one in killed for law in one.killed_by} >= {f"P{number}" for number in range(1, 18)}
    assert totals_of(report(found)) == totals_of(PAGE.read_text()), (
        "docs/mutants.md: python -m benchmarks.mutants --write"
    )


def totals_of(text: str) -> list[int]:
    """How many mutants, and how many of each verdict, a report counts."""
    (line,) = re.findall(r"^\d+ mutants: .*$", text, re.MULTILINE)
    return [int(number) for number in re.findall(r"\d+", line)]


@pytest.mark.slow
def test_the_page_has_every_mistake_and_no_survivor() -> None:
    page = PAGE.read_text()
    head, *lines = page.partition("```\n")[2].partition("\n\n")[0].splitlines()
    width = len(head) - len(head.lstrip())
    rows = {line[:width].strip(): [int(number) for number in line[width:].split()[:2]] for line in lines}
    every = cases(limit=2)
    for mistake in {one.mutant.mistake for one in every}:
        made = sum(one.mutant.mistake == mistake for one in every)
        assert rows[mistake][0] == made, f"docs/mutants.md: {mistake} is made {made} times"
    total, killed, equivalent, survived = totals_of(page)
    assert total == len(every) == killed + equivalent and not survived
    assert killed == sum(row[1] for row in rows.values()) >= 590
    assert "laws that killed nothing: none" in page


def test_a_report_takes_the_place_of_the_last_one() -> None:
    assert rewritten("a\n```\nold\n```\nb\n", "new") == "a\n```\nnew\n```\nb\n"


@pytest.mark.slow  # a census of the list of mistakes
def test_every_mistake_can_be_made_somewhere() -> None:
    made = {mutant.mistake for name in TESTED for mutant in mutants_of((EXAMPLES / f"{name}.py").read_text())}
    assert made == set(MISTAKES)
    assert set(EQUIVALENT) <= set(MISTAKES)


def test_every_example_has_a_form() -> None:
    named = sorted(example for examples in FORMS.values() for example in examples)
    assert named == TESTED


def test_a_mutant_is_one_change_of_a_module_that_still_compiles() -> None:
    source = (EXAMPLES / "whiten.py").read_text()
    plain = ast.unparse(ast.parse(source))
    for mutant in mutants_of(source):
        assert mutant.source.removeprefix(PRELUDE) != plain
        compile(mutant.source, "whiten.py", "exec")


def test_the_report_says_what_survived_and_which_laws_were_idle() -> None:
    found = [
        Found("a, x:1", "a", "module, factory", {"P1": "told"}, None),
        Found("a, y:1", "a", "closure", {}, None),
        Found("b, x:2", "b", "closure", {}, "no difference"),
    ]
    text = report(found)
    assert "3 mutants: 1 killed, 1 equivalent, 1 SURVIVED" in text
    assert "SURVIVED: a, y:1" in text
    assert "equivalent: b, x:2: no difference" in text
    assert "laws that killed nothing: P2, P3" in text
    assert matrix(found).splitlines()[1].split() == ["a", "2", "1", "1"]
