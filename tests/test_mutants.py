"""Mistakes that are made mechanically in the emitted examples are noticed by their generated tests."""

import ast
from collections.abc import Sequence

import pytest

from benchmarks._equivalent import EQUIVALENT
from benchmarks._mistakes import MISTAKES, PRELUDE, mutants_of
from benchmarks.mutants import EXAMPLES, FORMS, Found, cases, judged, matrix, quick_cases, report

TESTED = sorted(path.stem.removeprefix("test_") for path in (EXAMPLES / "tests").glob("test_*.py"))


def survivors(found: Sequence[Found]) -> list[str]:
    return [one.name for one in found if one.verdict == "SURVIVED"]


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
    assert len(killed) >= 0.95 * len(found)
    assert {law for one in killed for law in one.killed_by} >= {f"P{number}" for number in range(1, 18)}


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
    text = report(found, 1.0)
    assert "3 mutants in 1 s: 1 killed, 1 equivalent, 1 SURVIVED" in text
    assert "SURVIVED: a, y:1" in text
    assert "equivalent: b, x:2: no difference" in text
    assert "laws that killed nothing: P2, P3" in text
    assert matrix(found).splitlines()[1].split() == ["a", "2", "1", "1"]
