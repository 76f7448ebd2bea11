"""A second list of the same kind, for six other classes: `python -m benchmarks.hand_edits.study --list 2`.

Who wrote it knew neither the laws nor the edits of other lists. No suite had been run on an edit before.
"""

from pathlib import Path

from benchmarks.hand_edits.edit import Edit
from benchmarks.hand_edits.study2.classes import CLASSES
from benchmarks.hand_edits.study2.helpers import HELPERS
from benchmarks.hand_edits.study2.legitimate import LEGITIMATE

SPECS = Path(__file__).parent / "specs"
STUDY: tuple[Edit, ...] = (*CLASSES, *HELPERS, *LEGITIMATE)
