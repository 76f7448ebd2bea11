"""The benchmarks run and their numbers agree; how fast anything is, is not tested."""

import functools
import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks import budget_plot
from benchmarks._timing import Budget, Table, interleave, text

ROOT = Path(__file__).parents[2]
NAMES = (
    pytest.param("cold", marks=pytest.mark.slow),
    pytest.param("batch", marks=pytest.mark.slow),
    "nodes",
    pytest.param("groups", marks=pytest.mark.slow),
    pytest.param("update", marks=pytest.mark.slow),
    pytest.param("stacked", marks=pytest.mark.slow),
)  # `batch` runs Copier a hundred times
WITHOUT_BUDGET = ("groups",)


@functools.cache
def report_of(name: str) -> Any:
    """The JSON of a benchmark, run once."""
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{name}", "--runs", "1", "--json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.spread(6)
@pytest.mark.parametrize("name", NAMES)
def test_the_report_says_where_and_with_what_it_was_made(name: str):
    report = report_of(name)
    assert report["benchmark"] == name and report["runs"] == 1
    assert report["machine"]["cpu"] and report["machine"]["cores"] >= 1
    assert {"python"} < set(report["versions"])


@pytest.mark.parametrize("name", NAMES)
def test_ratios_are_those_of_the_medians(name: str):
    for table in report_of(name)["tables"]:
        seconds = {row["case"]: row["seconds"] for row in table["rows"]}
        for row in table["rows"]:
            assert all(found > 0 for found in row["seconds"].values())
            for one in row["ratios"]:
                measure, baseline = one["measure"], one["of"]
                expected = row["seconds"][measure] / seconds[baseline][measure]
                assert math.isclose(one["ratio"], expected)
                assert row["case"] != baseline or one["ratio"] == 1


@pytest.mark.parametrize("name", NAMES)
def test_every_budget_has_its_verdict(name: str):
    report = report_of(name)
    ratios = [one["ratio"] for table in report["tables"] for row in table["rows"] for one in row["ratios"]]
    assert report["budgets"] or name in WITHOUT_BUDGET
    for budget in report["budgets"]:
        below, above = budget["ratio"] <= budget["limit"], budget["ratio"] >= budget["limit"]
        assert budget["met"] == {"at most": below, "at least": above}[budget["sense"]]
        assert any(math.isclose(budget["ratio"], ratio) for ratio in ratios)


@pytest.mark.parametrize("name", NAMES)
def test_the_text_has_a_column_for_every_number(name: str):
    report = report_of(name)
    lines = text(report).split("\n")
    for table in report["tables"]:
        start = lines.index(table["title"]) + 1
        shown = lines[start : start + 1 + len(table["rows"])]
        assert len({len(line) for line in shown}) == 1
        for row, line in zip(table["rows"], shown[1:], strict=True):
            assert line.startswith(row["case"])
            cells = line.removeprefix(row["case"]).split()
            assert len(cells) == len(row["seconds"]) + len(row["ratios"])
            assert cells[len(row["seconds"]) :] == [f"{one['ratio']:.2f}" for one in row["ratios"]]
    verdicts = [line for line in lines if line.startswith("budget ")]
    assert [line.endswith(": met") for line in verdicts] == [one["met"] for one in report["budgets"]]
    assert all(line.endswith((": met", ": MISSED")) for line in verdicts)


def test_runs_are_interleaved_and_the_first_round_is_not_counted():
    order: list[str] = []
    seconds = {"a": iter([90.0, 1.0, 2.0, 30.0]), "b": iter([90.0, 4.0, 5.0, 6.0])}

    def case(name: str) -> float:
        order.append(name)
        return next(seconds[name])

    medians = interleave({"a": lambda: case("a"), "b": lambda: case("b")}, 3)
    assert order == ["a", "b"] * 4
    assert medians == {"a": 2.0, "b": 5.0}


def test_a_budget_is_met_up_to_its_limit():
    assert [Budget("x", ratio, 2.0).met for ratio in (1.9, 2.0, 2.1)] == [True, True, False]
    assert [Budget("x", ratio, 20, "at least").met for ratio in (19, 20, 21)] == [False, True, True]


def test_a_table_divides_by_its_baselines():
    table = Table("T", {"wall": {"a": 1.0, "b": 4.0}}, [("wall", "a"), ("wall", "b")])
    assert [one["ratio"] for one in table.to_json()["rows"][1]["ratios"]] == [4.0, 1.0]


def test_the_plot_of_the_budgets_is_drawn_from_their_table() -> None:
    page = budget_plot.PAGE.read_text(encoding="utf-8")
    assert budget_plot.PLOT.read_text(encoding="utf-8") == budget_plot.plot(page)
    rows = budget_plot.ROW.findall(page)
    assert len(rows) == page.partition("## Whole processes")[0].count("| at ")
