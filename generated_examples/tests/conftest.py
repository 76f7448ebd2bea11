"""Puts the modules under test, and the law suite beside this file, within reach."""

import gc
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent
sys.path[:0] = [str(TESTS), str(TESTS.parent)]


def pytest_collection_finish() -> None:
    """Has the garbage collector pass over what the imports made, which is there to stay."""
    gc.freeze()
