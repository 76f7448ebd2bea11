"""A list of edits that were written, with six classes, by somebody who had not read the laws, before any was run.

`python -m benchmarks.hand_edits.study` generates the classes of `specs/`, makes each edit in a copy, and runs the tests as a
user does: at a first run, when nothing is recorded, and when the first run of the right class has recorded its numbers.
"""

from benchmarks.hand_edits.edit import Edit
from benchmarks.hand_edits.study.classes import CLASSES
from benchmarks.hand_edits.study.helpers import HELPERS
from benchmarks.hand_edits.study.legitimate import LEGITIMATE

STUDY: tuple[Edit, ...] = (*CLASSES, *HELPERS, *LEGITIMATE)
