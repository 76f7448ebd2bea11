"""Of several tables that may say a class, those whose class differs least from it; of equal ones the shortest.

Tables are changed one move at a time, each tried by what would be written: what the tool writes by itself, such as the
dtype, the splits of a key, copies and checks, need not be said. Moves are tried in one order, and as many on any machine.
"""

import copy
import json

from msgspec import Struct
from msgspec.structs import replace

from scaffold.adopt.as_spec.draft import Draft
from scaffold.adopt.as_spec.emitted import quick_class, spec_of
from scaffold.adopt.as_spec.moves import MOVES
from scaffold.adopt.as_spec.parts import Parts, Whole, distance, parts_of
from scaffold.adopt.as_spec.tables import Change, Raw, There
from scaffold.errors import ScaffoldError
from scaffold.in_project.layout import Layout

Score = tuple[int, int]
_TRIES = 160


class Chooser(Struct):
    """Tries tables against the class that is there."""

    there: Parts
    whole: Whole
    layout: Layout
    checks: tuple[str, ...] = ()
    """What the class checks once it is built, each as a condition over its fields."""
    tries: int = _TRIES

    def score(self, raw: Raw) -> Score | None:
        """How far the class of these tables is from the one that is there, and their length; None where they are unsound."""
        self.tries -= 1
        try:
            emitted = quick_class(spec_of(raw), self.layout)
        except (ScaffoldError, SyntaxError, ValueError, StopIteration):
            return None
        return distance(self.there, parts_of(emitted, self.whole)), len(json.dumps(raw))

    def best(self, draft: Draft) -> Draft:
        """The draft after all moves that bring it nearer."""
        raw, score = draft.raw, self.score(draft.raw)
        assert score is not None
        has = There(frozenset(self.there.methods), self.checks)
        for move in MOVES:
            for changed in move(raw, has):
                if self.tries <= 0:
                    break
                candidate = self._merged(raw, changed)
                found = self.score(candidate) if candidate != raw else None
                if found is not None and found < score:
                    raw, score = candidate, found
        return replace(draft, raw=raw, spec=spec_of(raw))

    @staticmethod
    def _merged(raw: Raw, changed: Change) -> Raw:
        candidate = copy.deepcopy(raw)
        changed(candidate)
        return {key: one for key, one in candidate.items() if one not in ({}, [], "")}
