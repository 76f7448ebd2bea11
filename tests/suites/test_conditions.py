"""The generated tests pass under other settings and versions, and a failure is counted."""

import json
import re
from pathlib import Path

import pytest

from benchmarks import conditions
from benchmarks.conditions import (
    CONDITIONS,
    FLOORS,
    HEAD,
    NNX_FLOORS,
    OUT_SHARDED,
    ROW,
    STRICTEST,
    Condition,
    Outcome,
    every_example,
    judged,
    main,
)
from tests.support.projects import REPOSITORY

PAGE = (REPOSITORY / "docs" / "conditions.md").read_text(encoding="utf-8")
FAST = ("whiten",)


@pytest.mark.slow  # tests/project/test_project_example.py runs laws under the strictest of them
def test_small_examples_pass_under_all_settings_at_once() -> None:
    outcome = judged(STRICTEST, FAST)
    assert outcome.failed == 0, outcome.output
    assert outcome.passed >= 50


@pytest.mark.slow
@pytest.mark.parametrize("condition", CONDITIONS, ids=lambda one: one.name)
def test_every_example_passes_under_each_condition(condition: Condition) -> None:
    outcome = judged(condition)
    assert outcome.failed == 0, outcome.output
    assert outcome.passed >= (40 if condition.only == "^nnx_" else 2000)


PLANTED = """
import os, warnings
import jax, jax.numpy as jnp

def test_64_bits(): assert not jax.config.jax_enable_x64
def test_dtypes(): jnp.ones(2, jnp.int32) + jnp.ones(2, jnp.float32)
def test_ranks(): jnp.ones((2, 2)) + jnp.ones(2)
def test_warnings(): warnings.warn("a warning")
def test_leaks():
    kept = []
    jax.jit(lambda x: kept.append(x))(1.0)
"""


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "tests" / "test_planted.py").write_text(PLANTED)
    monkeypatch.setattr(conditions, "EXAMPLES", tmp_path)


@pytest.mark.slow
@pytest.mark.usefixtures("planted")
def test_all_settings_at_once_reach_the_tests() -> None:
    outcome = judged(STRICTEST, ("planted",))
    assert (outcome.passed, outcome.failed) == (0, 5), outcome.output
    assert "order of tests: RANDOM_ORDER=" in outcome.output


@pytest.mark.slow
@pytest.mark.usefixtures("planted")
@pytest.mark.parametrize(
    ("condition", "broken"),
    [
        ("64 bits", "test_64_bits"),
        ("strict dtype promotion", "test_dtypes"),
        ("rank promotion refused", "test_ranks"),
        ("tracer leaks checked", "test_leaks"),
        ("warnings are errors", "test_warnings"),
    ],
)
def test_each_setting_reaches_the_tests(condition: str, broken: str) -> None:
    [chosen] = [one for one in CONDITIONS if one.name == condition]
    outcome = judged(chosen, ("planted",))
    assert re.findall(r"^FAILED .*::(\w+)", outcome.output, re.MULTILINE) == [broken]
    assert (outcome.passed, outcome.failed) == (4, 1)


def test_the_line_with_which_pytest_ends_is_counted_and_no_other() -> None:
    output = "3 passed in 0.1s\nFAILED test_a.py - 7 errors\n1 failed, 4 passed, 2 skipped, 1 error in 12.50s (0:00:12)\n"
    outcome = conditions._counted("x", output + "E0000 a library: 9 failed, of which 9 passed\n", 1.0)
    assert (outcome.passed, outcome.skipped, outcome.failed) == (4, 2, 2)


@pytest.mark.usefixtures("planted")
def test_a_run_that_counts_nothing_has_failed() -> None:
    assert judged(Condition("no such file"), ("absent",)).failed == 1


def test_an_environment_that_cannot_be_made_is_a_failure() -> None:
    outcome = judged(Condition("no such Python", python="2.1"), FAST)
    assert outcome.failed == 1 and outcome.output.startswith("no environment: ")


def test_the_command_prints_a_row_for_each_condition(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    outcomes = {"64 bits": 0, "two processes": 2}
    monkeypatch.setattr(
        conditions,
        "judged",
        lambda one, _: Outcome(one.name, 5, 1, outcomes.get(one.name, 0), 2.4, "what pytest said"),
    )
    assert main(["--only", "64 bits"]) == 0
    assert capsys.readouterr().out == f"{HEAD}| 64 bits | 5 | 1 | 0 | 2 |\n"
    assert main(["--only", "two"]) == 1
    told = capsys.readouterr()
    assert told.out == f"{HEAD}| two processes | 5 | 1 | 2 | 2 |\n"
    assert "two processes: 2 failed\nwhat pytest said\n" in told.err
    assert main(["--only", "64 bits", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [
        {"condition": "64 bits", "passed": 5, "skipped": 1, "failed": 0, "seconds": 2.4}
    ]


def test_a_row_is_printed_before_the_next_condition_runs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    printed: list[str] = []

    def judged(one: Condition, _: object) -> Outcome:
        printed.append(capsys.readouterr().out)
        return Outcome(one.name, 1, 0, 0, 1.0)

    monkeypatch.setattr(conditions, "judged", judged)
    main(["--only", "Python 3.1"])
    assert [text.count("\n") for text in printed] == [2, 1, 1, 1]


def test_rows_are_written_into_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "conditions.md"
    page.write_text(f"Before.\n\n{HEAD}| random order | 1 | 0 | 0 | 9 |\n\nAfter.\n\n| jax | 0.6 |\n")
    monkeypatch.setattr(conditions, "PAGE", page)
    monkeypatch.setattr(conditions, "judged", lambda one, _: Outcome(one.name, 5, 1, 0, 2.4))
    main(["--write", "--only", "random"])
    main(["--write", "--only", "64"])
    rows = "| 64 bits | 5 | 1 | 0 | 2 |\n| random order | 5 | 1 | 0 | 2 |\n"
    assert page.read_text() == f"Before.\n\n{HEAD}{rows}\nAfter.\n\n| jax | 0.6 |\n"


def test_the_documentation_has_the_floors_and_the_conditions() -> None:
    rows = dict(re.findall(r"^\| (\w+) \| ([\d.]+) \|$", PAGE, re.MULTILINE))
    shown = {name: number for name, number in FLOORS.items() if name != "jaxlib"}
    assert rows == {**shown, "flax": NNX_FLOORS["flax"]}
    assert f"with jax {NNX_FLOORS['jax']}" in PAGE


def test_the_documented_run_has_every_condition_and_no_failure() -> None:
    rows = {name: tuple(map(int, counts)) for name, *counts in ROW.findall(PAGE)}
    assert [*rows] == [one.name for one in CONDITIONS]
    assert not any(failed for _, _, failed, _ in rows.values())
    # Skips differ between versions, and the oldest ones share the tests among them.
    # The oldest jax has no abstract meshes: P20 is left out, at most a test of each example.
    examples = re.findall(r"`\w+`", re.findall("Of (.*), on two cores", PAGE)[0])
    *wholes, oldest, nnx = (passed + skipped for passed, skipped, _, _ in rows.values())
    assert {*wholes} == {wholes[0]} and wholes[0] >= 200
    assert wholes[0] - len(examples) <= oldest + nnx <= wholes[0]


def test_the_readme_names_the_floors() -> None:
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert f"jax {FLOORS['jax']}, equinox {FLOORS['equinox']} and flax {NNX_FLOORS['flax']}" in readme


def test_the_nnx_condition_takes_its_examples_and_no_other() -> None:
    oldest, nnx = CONDITIONS[-2:]
    taken = [[name for name in every_example() if re.search(one.only, name)] for one in (oldest, nnx)]
    assert sorted([*taken[0], *taken[1], *OUT_SHARDED]) == every_example() and taken[1]
