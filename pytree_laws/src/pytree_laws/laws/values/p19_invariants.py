"""P19: what the author knows to hold of the call, by the names of `invariants`."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ...declare.invariants import both_sides, slack_of
from ...engine.applicability import applies_where, declares
from ...engine.runner import guard
from ...inspect.arrays import real_dtype
from ...report import check
from ...suites.base import Suite
from ...values.closeness import tolerance_of
from ...values.dtypes import SEEDS, example_in, example_name

STEPS = 16  # by how many roundings of one number a few sums of several may differ


@guard
class Invariants(Suite):
    """P19, of invariants."""

    invariants: ClassVar[Sequence[str]] = ()

    @applies_where(declares("invariants", "no invariants are declared"))
    def test_p19_invariants_hold(self) -> None:
        self.need_call()
        for dtype in (None, *self.dtypes):
            for seed in range(SEEDS):
                with example_in(self, dtype, seed) as example:
                    for said in self.invariants:
                        self.check_invariant(said, example, dtype, seed)

    def check_invariant(self, said: str, example: Any, dtype: str | None, seed: int) -> None:
        found, wanted = both_sides(self, said, *example)
        found, wanted = np.broadcast_arrays(found, wanted)
        usual = tolerance_of(dtype or real_dtype("float"), self.tolerance)
        largest = float(np.abs(wanted).max(initial=1.0))
        allowed = STEPS * usual * largest + slack_of(said) * largest
        wrong = np.argwhere(~(np.abs(found - wanted) <= allowed))
        where = example_name(dtype, seed)
        message = f"`{said}` does not hold, with {where}"
        if len(wrong):
            first = tuple(map(int, wrong[0]))
            message += f": {found[first]:.6g} should be {wanted[first]:.6g}"
            message += f" at {first}" if first else ""
        check(not len(wrong), "call", message, "what the call does beside what it says")
