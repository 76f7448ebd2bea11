"""A list for twelve classes that stay as their author wrote them: `... hand_edits.study --list 19`.

Who wrote it had not read the laws, nor an edit of earlier lists. No suite had been run on a class or an edit before. Examples that the
tool had asked for stand in the specs, and one law is left out for an optimiser, through whose updates nobody takes a gradient.
"""

from pathlib import Path

from benchmarks.hand_edits.edit import Edit
from benchmarks.hand_edits.study19.stateful import STATEFUL
from benchmarks.hand_edits.study19.stateless import STATELESS

SPECS = Path(__file__).parent / "specs"
STUDY: tuple[Edit, ...] = (*STATELESS, *STATEFUL)
