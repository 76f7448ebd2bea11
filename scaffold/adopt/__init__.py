"""Suites for existing classes, which a child process imports in the user's own interpreter.

`targets` reads the user's targets, `processes` starts and asks the child, and `child` is the code that runs
there. `emit` writes the test files, and `report` formats the findings. `targets.coverage` needs no child,
because it reads sources and records.
"""

from scaffold.adopt.flow import adopt
from scaffold.adopt.report import Report
from scaffold.adopt.targets.wanted import Wanted

__all__ = ["Report", "Wanted", "adopt"]
