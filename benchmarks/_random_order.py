"""A pytest plugin that runs tests in a random order; the seed is printed, and `RANDOM_ORDER` sets it again."""

import os
import random

import pytest

SEED = int(os.environ.get("RANDOM_ORDER", random.randrange(2**32)))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.write_line(f"order of tests: RANDOM_ORDER={SEED}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    random.Random(SEED).shuffle(items)
