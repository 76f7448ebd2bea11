"""Puts the modules under test, and the law suite beside this file, within reach."""

import contextlib
import gc
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
sys.path[:0] = [str(TESTS), str(TESTS.parent)]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option by which P19 records."""
    told = "write what the classes compute to tests/numbers, which P19 then holds"
    with contextlib.suppress(ValueError):  # installed laws or another conftest have it
        parser.addoption("--record-numbers", action="store_true", help=told)


def pytest_configure(config: pytest.Config) -> None:
    """Has all other tests run where one file cannot be imported, which stays an error."""
    config.option.continue_on_collection_errors = True


def pytest_collection_finish() -> None:
    """Has the garbage collector pass over what the imports made, which is there to stay."""
    gc.freeze()
    gc.set_threshold(10_000)  # objects, of which a trace makes many
