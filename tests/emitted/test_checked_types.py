"""Emitted code with `pytest --jaxtyping-packages=...,beartype.beartype`, as new projects run it: each call is held to its annotations."""

import subprocess
import sys

import pytest

from tests.support.projects import EXAMPLES, passed, run

MODULES = sorted(path.stem for path in EXAMPLES.glob("*.py"))
SUITES = sorted(path.stem.removeprefix("test_") for path in EXAMPLES.glob("tests/test_*.py"))
IMPORTS = f"""
from importlib import import_module
from jaxtyping import install_import_hook

with install_import_hook({MODULES}, "beartype.beartype"):
    for name in {MODULES}:
        import_module(name)
"""
OF_FLAX = "ignore::beartype.roar.BeartypeDecorHintPep585DeprecationWarning"
REBUILT_BY_CONSTRUCTOR = ("observation", "table_factory", "table_flag")
"""What jax rebuilds by a constructor, whose annotations allow no leaves that are no arrays."""


def suites(*names: str) -> subprocess.CompletedProcess[str]:
    """Run the suites of examples."""
    packages = ",".join([*MODULES, "beartype.beartype"])
    tests = [f"tests/test_{name}.py" for name in names]
    options = [f"--jaxtyping-packages={packages}", "--numbers=off", "-W", OF_FLAX]
    return run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, *tests], EXAMPLES)


@pytest.mark.slow
def test_all_annotations_can_be_checked() -> None:
    result = run([sys.executable, "-c", IMPORTS], EXAMPLES)
    assert result.returncode == 0, result.stderr


@pytest.mark.slow
def test_suites_pass() -> None:
    # `whiten` has two arrays that share a dim, and `random_features` reads files of former versions.
    assert passed(suites("whiten", "random_features"))


@pytest.mark.slow
def test_all_suites_pass() -> None:
    assert passed(suites(*(name for name in SUITES if name not in REBUILT_BY_CONSTRUCTOR)))
