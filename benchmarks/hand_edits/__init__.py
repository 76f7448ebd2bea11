"""Edits as one makes by hand to emitted code, in `EDITS`, written before any test was run on them.

`python -m benchmarks.hand_edits` makes each in a copy of an example, and runs the example's tests.
"""

from benchmarks.hand_edits.data import DATA
from benchmarks.hand_edits.edit import Edit
from benchmarks.hand_edits.layers import LAYERS
from benchmarks.hand_edits.modules import MODULES
from benchmarks.hand_edits.stateful import STATEFUL

EDITS: tuple[Edit, ...] = (*LAYERS, *MODULES, *DATA, *STATEFUL)
