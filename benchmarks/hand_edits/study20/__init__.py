"""A list for twelve classes that stay as their author wrote them: `... hand_edits.study --list 20`.

Who wrote it had read neither the laws nor an edit of earlier lists, and had run every class by hand, but no suite.
"""

from pathlib import Path

from benchmarks.hand_edits.edit import Edit
from benchmarks.hand_edits.study20.stateful import STATEFUL
from benchmarks.hand_edits.study20.stateless import STATELESS

SPECS = Path(__file__).parent / "specs"
STUDY: tuple[Edit, ...] = (*STATELESS, *STATEFUL)
