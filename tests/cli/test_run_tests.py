"""`scaffold new-module --test` runs the tests of what it writes, and nothing else."""

import json
import sys
import venv
from pathlib import Path

import pytest

from tests.support.projects import AFFINE, scaffold
from tests.support.systems import NEEDS_SHELL
from tests.support.trees import read_tree, write_tree

PAIR = ("Pair", "first:f[n]", "second:f[n]", "--kind", "namedtuple")


@pytest.fixture
def env() -> dict[str, str]:
    """The environment of these tests, as it is when it is activated."""
    return {"VIRTUAL_ENV": sys.prefix}


def test_tests_that_pass_are_done(tmp_path: Path, env: dict[str, str]) -> None:
    write_tree(tmp_path, {"tests/test_other.py": "def test_other():\n    assert False\n"})
    result = scaffold(tmp_path, "new-module", *PAIR, "--test", env=env)
    assert result.returncode == 0, result.stdout + result.stderr
    plan, _, report = result.stdout.partition("tests/test_pair.py\n")
    assert plan.startswith("create") and " passed" in report
    assert "-m pytest -q tests/test_pair.py" in result.stderr and "next:" not in result.stderr


@pytest.mark.slow
def test_a_test_that_fails_is_the_exit_code(tmp_path: Path, env: dict[str, str]) -> None:
    *fields, _, _ = AFFINE
    asked = (
        "--body",
        "return self.weight @ x",
        "--folder",
        "made",
        "--test",
    )  # a folder that is not there yet
    result = scaffold(tmp_path, "new-module", *fields, *asked, env=env)
    assert result.returncode == 1, result.stderr
    assert "P8 never stale" in result.stdout and (tmp_path / "made/affine.py").is_file()


@pytest.mark.slow  # a run of its own, as others near it
def test_json_is_alone_on_stdout(tmp_path: Path, env: dict[str, str]) -> None:
    result = scaffold(tmp_path, "new-module", *PAIR, "--test", "--json", env=env)
    report = json.loads(result.stdout)
    assert (result.returncode, report["ok"]) == (0, True), result.stderr
    assert report["tests"] == {"ok": True, "files": ["tests/test_pair.py"]} and " passed" in result.stderr
    # A conftest that fails each test stands for whatever pytest fails with.
    write_tree(tmp_path, {"tests/conftest.py": "raise RuntimeError('broken')\n"})
    again = scaffold(tmp_path, "new-module", *PAIR, "--test", "--json", env=env)
    report = json.loads(again.stdout)
    assert (again.returncode, report["ok"], report["tests"]["ok"]) == (1, False, False)


@NEEDS_SHELL
def test_an_interpreter_without_the_libraries_is_told_before_anything_is_written(tmp_path: Path) -> None:
    venv.create(tmp_path / "bare", with_pip=False)
    project = tmp_path / "project"
    project.mkdir()
    result = scaffold(project, "new-module", *PAIR, "--test", env={"VIRTUAL_ENV": str(tmp_path / "bare")})
    python = tmp_path / "bare/bin/python"
    assert (result.returncode, read_tree(project)) == (1, {})
    assert result.stderr == (
        f"error: {python}: the interpreter has no `jax`, `jaxtyping`, `numpy`, `pytest`, which the tests import\n"
        f"  fix: run `{python} -m pip install jax jaxtyping numpy pytest`, activate another environment, or leave"
        " `--test` out\n"
    )


@pytest.mark.parametrize("option", ["--dry-run", "--diff"])
def test_what_is_not_written_cannot_be_tested(option: str, tmp_path: Path) -> None:
    result = scaffold(tmp_path, "new-module", *PAIR, "--test", option)
    assert (result.returncode, read_tree(tmp_path)) == (2, {})
    assert result.stderr == (
        f"error: --test: there is nothing to test, since `{option}` writes nothing\n"
        f"  fix: leave `{option}` or `--test` out\n"
    )


def test_the_next_step_names_the_tests_whatever_they_are_called(tmp_path: Path) -> None:
    """As in a project whose pytest collects `*_test.py` alone."""
    write_tree(tmp_path, {"pytest.ini": "[pytest]\npython_files = *_test.py\n", "pyproject.toml": ""})
    result = scaffold(tmp_path, "new-module", *PAIR)
    assert result.returncode == 0 and "pytest tests/pair_test.py" in result.stderr


MEAN = """
import equinox as eqx

from scaffold.skeleton import data


class Mean(eqx.Module):
    values: object = data()

    def __init__(self, values):
        self.values = values

    def __call__(self, x):
        return x * self.values.sum()
"""


@pytest.mark.slow
def test_an_example_that_nothing_says_is_looked_for(tmp_path: Path, env: dict[str, str]) -> None:
    write_tree(tmp_path, {"specs/mean.py": MEAN})
    result = scaffold(tmp_path, "new-module", "--spec", "specs/mean.py", "--test", env=env)
    assert "Mean: not tested: " in result.stdout and "scaffold adopt mean.py:Mean" in result.stderr
    assert (tmp_path / "tests/test_mean.py").is_file() and "Mean  adopted, " in result.stdout, result.stdout
    assert result.returncode == 0, result.stdout
    again = scaffold(tmp_path, "new-module", "--spec", "specs/mean.py", "--test", "--json", env=env)
    report = json.loads(again.stdout)
    assert not [note for note in report["notes"] if "not tested" in note] and "tests" not in report


SAID = (
    MEAN.replace("import data", "import data, test")
    .replace(
        "\n\nclass Mean",
        '\n\n@test(values={"values": lambda seed: jnp.ones(3) * seed, "x": lambda: 2.0})\nclass Mean',
    )
    .replace("import equinox as eqx", "import equinox as eqx\nimport jax.numpy as jnp")
)


@pytest.mark.parametrize("is_edited", [False, True])
def test_tests_that_adopt_wrote_give_way_to_an_example_unless_they_were_edited(
    tmp_path: Path, env: dict[str, str], is_edited: bool
) -> None:
    write_tree(tmp_path, {"specs/mean.py": MEAN})
    scaffold(tmp_path, "new-module", "--spec", "specs/mean.py", "--test", env=env)
    write_tree(tmp_path, {"specs/mean.py": SAID})
    suite, record = tmp_path / "tests/test_mean.py", tmp_path / ".scaffold/adopted/mean.Mean.txt"
    mine = suite.read_text("utf-8") + "\n\nMINE = 1\n" * is_edited
    suite.write_text(mine, "utf-8")
    assert record.is_file()
    result = scaffold(tmp_path, "new-module", "--spec", "specs/mean.py", env=env)
    assert result.returncode == is_edited, result.stderr
    assert record.is_file() == is_edited and (suite.read_text("utf-8") == mine) == is_edited
    assert ("`scaffold adopt` wrote it, and it was edited since" in result.stderr) == is_edited


HALF = """
import equinox as eqx
import jax
from scaffold.skeleton import module


class Attn(eqx.Module):
    query: eqx.nn.Linear = module()

    def __init__(self, hidden: int, *, key):
        self.query = eqx.nn.Linear(hidden, hidden, key=key)

    def __call__(self, h, memory):
        return self.query(h) * memory.reshape(7, 11).sum()


class Plain(eqx.Module):
    query: eqx.nn.Linear = module()

    def __init__(self, hidden: int, *, key):
        self.query = eqx.nn.Linear(hidden, hidden, key=key)

    def __call__(self, h):
        return self.query(h)


class Open(eqx.Module):
    query: eqx.nn.Linear = module()

    def __init__(self, hidden: int, *, key):
        self.query = eqx.nn.Linear(hidden, hidden, key=key)

    def __call__(self, h, how):
        return how[0](self.query(h), how[1])
"""


def test_calls_that_no_test_tries_are_counted_at_the_end(tmp_path: Path, env: dict[str, str]) -> None:
    write_tree(tmp_path, {"specs/half.py": HALF})
    result = scaffold(tmp_path, "new-module", "--spec", "specs/half.py", "--test", env=env)
    last = result.stdout.splitlines()[-1]
    assert last == "2 of 3 classes: call not tried (Attn, Open)", result.stdout
    assert " passed" in result.stdout and result.returncode == 0
