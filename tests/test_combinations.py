"""Projects of all kinds hold together: a sample here, every pair of answers with `pytest -m slow`."""

from itertools import combinations, product
from pathlib import Path

import pytest

from benchmarks import combinations as tried
from benchmarks._project_checks import REFUSED_BY_KIDGER, STEPS
from benchmarks._project_commands import Check, Failure


def test_one_project_of_each_style_holds_together() -> None:
    results = tried.measure(tried.quick_rows())
    assert results.failures == []
    assert {row["style"] for row, _ in results.rows} == {"kidger", "scientific-python"}
    assert all(set(outcomes) == set(STEPS) for _, outcomes in results.rows)


@pytest.mark.slow
def test_every_pair_of_answers_holds_together() -> None:
    assert tried.measure(tried.all_rows()).failures == []


def test_every_pair_of_answers_occurs() -> None:
    rows = tried.all_rows()
    for one, other in combinations(tried.VALUES, 2):
        pairs = {(row[one], row[other]) for row in rows}
        assert pairs == set(product(tried.VALUES[one], tried.VALUES[other]))


def test_the_table_shows_what_failed_and_what_was_not_run_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(_: Path) -> None:
        raise Failure("it does not work")

    steps = {"good": Check(lambda _: None, lambda _: iter(["same"])), "bad": Check(fail)}
    monkeypatch.setattr(tried, "STEPS", steps)
    rows = tried.quick_rows()
    results = tried.measure(rows)
    assert [list(outcomes.values()) for _, outcomes in results.rows] == [["ok", "FAILED"], ["=", "FAILED"]]
    assert "it does not work" in results.failures[0]
    assert tried.table(results).splitlines()[-1].endswith("| = | FAILED |")


def test_the_documentation_has_the_reason_of_each_refusal() -> None:
    text = (Path(__file__).parent.parent / "docs/project.md").read_text(encoding="utf-8")
    for check, reason in REFUSED_BY_KIDGER.items():
        assert f"| {check} | {reason} |" in text
