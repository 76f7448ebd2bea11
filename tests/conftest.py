"""Options of the project's own tests."""

import pytest


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
