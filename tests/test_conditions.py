"""The generated tests pass under other settings and versions, and a failure is counted."""

import re
from pathlib import Path

import pytest

from benchmarks import conditions
from benchmarks.conditions import (
    CONDITIONS,
    FLOORS,
    NNX_FLOORS,
    STRICTEST,
    Condition,
    Outcome,
    every_example,
    judged,
    main,
    table,
)
from tests.projects import REPOSITORY

PAGE = (REPOSITORY / "docs" / "conditions.md").read_text(encoding="utf-8")
FAST = ("whiten", "table_bypass", "running_centre")


def test_small_examples_pass_under_all_settings_at_once() -> None:
    outcome = judged(STRICTEST, FAST)
    assert outcome.failed == 0, outcome.output
    assert outcome.passed >= 200


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
    assert capsys.readouterr().out.endswith("|---|---|---|---|---|\n| 64 bits | 5 | 1 | 0 | 2 |\n")
    assert main(["--only", "two"]) == 1
    told = capsys.readouterr()
    assert "| two processes | 5 | 1 | 2 | 2 |" in told.out
    assert "two processes: 2 failed\nwhat pytest said\n" in told.err


def test_the_documentation_has_the_floors_and_the_conditions() -> None:
    rows = dict(re.findall(r"^\| (\w+) \| ([\d.]+) \|$", PAGE, re.MULTILINE))
    shown = {name: number for name, number in FLOORS.items() if name != "jaxlib"}
    assert rows == {**shown, "flax": NNX_FLOORS["flax"]}
    assert f"with jax {NNX_FLOORS['jax']}" in PAGE
    listed = re.findall(r"^\| ([^|]+?) \| \d+ \| \d+ \| \d+ \| \d+ \|$", PAGE, re.MULTILINE)
    names = [one.name for one in CONDITIONS]
    assert listed == [name for name in names if name in listed] and len(listed) >= 7


def test_the_readme_names_the_floors() -> None:
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert f"jax {FLOORS['jax']}, equinox {FLOORS['equinox']} and flax {NNX_FLOORS['flax']}" in readme


def test_the_nnx_condition_takes_its_examples_and_no_other() -> None:
    oldest, nnx = CONDITIONS[-2:]
    taken = [[name for name in every_example() if re.search(one.only, name)] for one in (oldest, nnx)]
    assert sorted(taken[0] + taken[1]) == every_example()
    assert (
        taken[1] and table([]) == "| condition | passed | skipped | failed | seconds |\n|---|---|---|---|---|"
    )
