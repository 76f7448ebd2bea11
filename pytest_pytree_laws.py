"""The option of pytest by which the pytree laws record numbers, where the tests import what is installed.

pytest loads it in every run in an environment that has this project, so it imports neither the laws nor jax. A copy of the laws has no
entry point: there the generated conftest adds the option.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def pytest_addoption(parser: "pytest.Parser") -> None:
    """Adds `--record-numbers`."""
    told = "write what the classes compute to tests/numbers, which P19 then holds"
    parser.addoption("--record-numbers", action="store_true", help=told)
