"""A third list of the same kind, for six other classes: `python -m benchmarks.hand_edits.study --list 3`.

Who wrote it knew neither the laws nor the edits of other lists. No suite had been run on an edit before.
`python -m benchmarks.hand_edits.study3.proofs` shows that each edit changes what its class does.
"""

from pathlib import Path

from benchmarks.hand_edits.edit import Edit
from benchmarks.hand_edits.study3.classes import CLASSES
from benchmarks.hand_edits.study3.helpers import HELPERS
from benchmarks.hand_edits.study3.legitimate import LEGITIMATE

SPECS = Path(__file__).parent / "specs"
STUDY: tuple[Edit, ...] = (*CLASSES, *HELPERS, *LEGITIMATE)
