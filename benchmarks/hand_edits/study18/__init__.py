"""An eighteenth list of the same kind, for six other classes: `... hand_edits.study --list 18`.

Who wrote it had not read the laws, nor the edits of earlier lists but those of the seventeenth.
No suite had been run on an edit before.
`python -m benchmarks.hand_edits.study18.proofs` shows that each edit changes what its class does.
"""

from pathlib import Path

from benchmarks.hand_edits.edit import Edit
from benchmarks.hand_edits.study18.helpers import HELPERS
from benchmarks.hand_edits.study18.legitimate import LEGITIMATE
from benchmarks.hand_edits.study18.stateful import STATEFUL
from benchmarks.hand_edits.study18.stateless import STATELESS

SPECS = Path(__file__).parent / "specs"
STUDY: tuple[Edit, ...] = (*STATELESS, *STATEFUL, *HELPERS, *LEGITIMATE)
