"""Options of the project's own tests."""

import pytest
from hypothesis import settings

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
