"""Tests import specimens and their harness from the rooms of this folder by name: `mutants`, `mistakes`, `right`, `harness`."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))


@pytest.fixture(autouse=True)
def no_value_of_an_earlier_test() -> None:
    """The specimen that caches begins cold: what an earlier test left in it would hide what it breaks."""
    from mutants import training as mutants_training

    mutants_training.Cached.table.cache_clear()
