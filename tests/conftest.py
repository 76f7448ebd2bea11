"""Options of the project's own tests, and the wheel that some of them install."""

import sys
from pathlib import Path

import pytest
from hypothesis import settings

from tests.projects import REPOSITORY, run

# Hypothesis has such a profile of its own where a variable says `CI`; here no variable decides what is tried.
# `pytest --hypothesis-profile=default` searches at random.
settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
settings.load_profile("repeatable")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--refresh-examples",
        action="store_true",
        help="Rewrite generated_examples from its specs, then compare.",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the long proofs to `pytest -m slow`."""
    if "slow" in (config.getoption("-m") or ""):
        return
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.skip(reason="a long proof: pytest -m slow"))


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from this checkout."""
    folder = tmp_path_factory.mktemp("dist")
    result = run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)], REPOSITORY)
    assert result.returncode == 0, result.stderr
    [built] = folder.glob("*.whl")
    return built
