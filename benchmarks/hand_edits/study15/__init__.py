"""A fifteenth list of the same kind, for six other classes: `python -m benchmarks.hand_edits.study --list 15`.

Who wrote it had not read the laws, nor the edits of earlier lists but some of the fourteenth.
No suite had been run on an edit before.
`python -m benchmarks.hand_edits.study15.proofs` shows that each edit changes what its class does.
"""

from pathlib import Path

from benchmarks.hand_edits.edit import Edit
from benchmarks.hand_edits.study15.helpers import HELPERS
from benchmarks.hand_edits.study15.legitimate import LEGITIMATE
from benchmarks.hand_edits.study15.stateful import STATEFUL
from benchmarks.hand_edits.study15.stateless import STATELESS

SPECS = Path(__file__).parent / "specs"
STUDY: tuple[Edit, ...] = (*STATELESS, *STATEFUL, *HELPERS, *LEGITIMATE)
