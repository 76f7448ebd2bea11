"""Report on the classes of a run: a screenful for the terminal, or all of it as Markdown or JSON."""

from scaffold.adopt.report.outcome import LeftOut, Outcome, failures
from scaffold.adopt.report.run_report import Report

__all__ = ["LeftOut", "Outcome", "Report", "failures"]
