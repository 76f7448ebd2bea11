"""What was not asked of the classes under test, and why: one line at the end of a run.

A law that cannot apply is skipped, and pytest says of that no more than a number. The hook
comes from the suite itself, and so needs neither a conftest nor an installed plugin. With
`-rs`, pytest lists the reasons already.
"""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

_NAME = "pytree-laws-skipped"
_HERE = Path(__file__).resolve().parent


def sum_up_skips(config: pytest.Config) -> None:
    """Has the run end with the reasons, once for however many suites call it."""
    if not config.pluginmanager.has_plugin(_NAME):
        config.pluginmanager.register(_SkipsInOneLine(), _NAME)


class _SkipsInOneLine:
    """A pytest plugin."""

    def pytest_terminal_summary(
        self, terminalreporter: Any, config: pytest.Config
    ) -> None:
        reports = terminalreporter.stats.get("skipped", [])
        reasons = Counter(reason for report in reports if (reason := _reason(report)))
        if reasons and not set(config.option.reportchars) & set("saA"):
            terminalreporter.write_line(one_line(reasons))


def one_line(reasons: Counter[str]) -> str:
    """The most frequent first: `laws skipped: 3 the class is not called, 1 no bounds`."""
    ordered = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    told = ", ".join(f"{count} {reason}" for reason, count in ordered)
    return f"laws skipped: {told}"


def _reason(report: Any) -> str | None:
    """Why a law was skipped; None for tests that are not of this package."""
    if not isinstance(report.longrepr, tuple):
        return None
    file, _, told = report.longrepr
    ours = Path(file).resolve().is_relative_to(_HERE)
    return str(told).removeprefix("Skipped: ") if ours else None
