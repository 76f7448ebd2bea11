"""The plugin `-p pytree_laws.summary`, which prints findings in the main process of pytest-xdist.

That process imports no suite, and without the plugin prints no summary.
"""

from .engine.summary import (
    pytest_runtest_makereport,
    pytest_sessionfinish,
    pytest_terminal_summary,
    pytest_testnodedown,
)

__all__ = [
    "pytest_runtest_makereport",
    "pytest_sessionfinish",
    "pytest_terminal_summary",
    "pytest_testnodedown",
]
