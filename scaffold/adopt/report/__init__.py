"""What is said of the classes of a run: on a terminal within a screen, in a file or as JSON all of it."""

from scaffold.adopt.report.outcome import LeftOut, Outcome, failures
from scaffold.adopt.report.run_report import Report

__all__ = ["LeftOut", "Outcome", "Report", "failures"]
