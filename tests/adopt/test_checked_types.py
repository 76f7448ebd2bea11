"""`adopt` in projects whose tests check each annotation at each call: what it finds and records is what these tests find."""

import sys
from pathlib import Path

import pytest

from tests.support.projects import passed, run, scaffold
from tests.support.trees import write_tree

EMA = '''
import equinox as eqx
from jaxtyping import Array, Float


class Ema(eqx.Module):
    """Average of values."""

    mean: Float[Array, " n"]
    decay: float = eqx.field(static=True, default=0.9)

    def update(self, x: Float[Array, " n"]) -> "Ema":
        """The next average."""
        return Ema(self.decay * self.mean + (1 - self.decay) * x, self.decay)
'''


def project(folder: Path, source: str, checker: str) -> Path:
    """A project with a class, whose tests run with a checker of annotations."""
    options = f'["--import-mode=importlib", "--jaxtyping-packages=lib,{checker}"]'
    settings = f'[tool.pytest.ini_options]\npythonpath = ["."]\naddopts = {options}\n'
    return write_tree(folder, {"pyproject.toml": settings, "lib/__init__.py": "", "lib/averages.py": source})


def adopt(folder: Path) -> str:
    result = scaffold(folder, "adopt", "lib/averages.py", "--python", sys.executable)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.mark.slow
def test_the_next_run_of_pytest_finds_what_was_recorded(tmp_path: Path) -> None:
    root = project(
        tmp_path, EMA, "beartype.beartype(conf=beartype.BeartypeConf(is_debug=False, is_color=False))"
    )
    adopt(root)
    record = (root / "tests/numbers/ema.txt").read_text()
    assert "call.mean" in record and "mean of whole numbers" not in record
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--numbers=check", "tests"]
    assert passed(run(command, root))


@pytest.mark.slow  # a run of its own
def test_a_checker_that_is_not_installed_checks_nothing(tmp_path: Path) -> None:
    root = project(tmp_path, EMA, "no_such_checker.checked")
    adopt(root)
    assert "mean of whole numbers" in (root / "tests/numbers/ema.txt").read_text()


HELD = '''
from dataclasses import dataclass

import jax
from jax.tree_util import register_dataclass


@register_dataclass
@dataclass
class Held:
    """Two arrays, which jax unflattens by the constructor."""

    values: jax.Array
    weights: jax.Array
'''


@pytest.mark.slow  # a run of its own
def test_what_a_checker_of_annotations_raises_is_said_to_be_its_own(tmp_path: Path) -> None:
    root = project(tmp_path, HELD, "beartype.beartype")
    report = scaffold(root, "adopt", "lib/averages.py", "--python", sys.executable).stdout
    assert "# raises TypeCheckError where annotations are checked, as by `--jaxtyping-packages`" in report
    assert "look for: the checks of annotations that these tests add (`--jaxtyping-packages`)" in report
