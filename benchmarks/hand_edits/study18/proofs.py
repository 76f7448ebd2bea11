"""Prove that each edit changes what its class does: `python -m benchmarks.hand_edits.study18.proofs`."""

import sys

from benchmarks.hand_edits.study.printed_proofs import prove
from benchmarks.hand_edits.study18 import SPECS, STUDY
from benchmarks.hand_edits.study18.prints import PRINTS

if __name__ == "__main__":
    sys.exit(prove(SPECS, STUDY, PRINTS))
