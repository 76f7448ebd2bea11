"""A suite for every class that exists: classes are looked at in the user's own interpreter, in a process beside this one.

`targets` read what is asked for, `process` and `workers` talk to the child, `emit` writes the test files, `report` says what was
found. What runs in the other interpreter is `child`. `coverage` needs none: it reads sources (`source_classes`) and records.
"""

from scaffold.adopt.flow import adopt
from scaffold.adopt.report import Report
from scaffold.adopt.targets.wanted import Wanted

__all__ = ["Report", "Wanted", "adopt"]
