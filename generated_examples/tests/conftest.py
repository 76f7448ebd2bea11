"""Makes the modules under test importable, and the pytree laws where they are not installed."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.extend(map(str, Path(__file__).parent.glob("pytree_laws-*.whl")))

from pytree_laws.plugin import pytest_addoption

__all__ = ["pytest_addoption"]
