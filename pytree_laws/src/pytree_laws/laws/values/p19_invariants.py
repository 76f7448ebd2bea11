"""P19: what the author knows to hold of the call, by the names of `invariants`."""

from typing import Any

import numpy as np

from ...declare.invariants import both_sides, slack_of
from ...engine.applicability import declares
from ...engine.registry import Checks
from ...inspect.arrays import real_dtype
from ...kinds.suite import Suite
from ...report import check
from ...values.closeness import tolerance_of
from ...values.dtypes import SEEDS, example_in, example_name

CHECKS = Checks()

STEPS = 16  # by how many roundings of one number a few sums of several may differ


@CHECKS.register(declares("invariants", "no invariants are declared"))
def test_p19_invariants_hold(subject: Suite) -> None:
    subject.need_call()
    for dtype in (None, *subject.dtypes):
        for seed in range(SEEDS):
            with example_in(subject, dtype, seed) as example:
                for said in subject.invariants:
                    check_invariant(subject, said, example, dtype, seed)


def check_invariant(subject: Suite, said: str, example: Any, dtype: str | None, seed: int) -> None:
    value, wanted = both_sides(subject, said, *example)
    value, wanted = np.broadcast_arrays(value, wanted)
    usual = tolerance_of(dtype or real_dtype("float"), subject.tolerance)
    largest = float(np.abs(wanted).max(initial=1.0))
    allowed = STEPS * usual * largest + slack_of(said) * largest
    wrong = np.argwhere(~(np.abs(value - wanted) <= allowed))
    where = example_name(dtype, seed)
    message = f"`{said}` does not hold, with {where}"
    if len(wrong):
        first = tuple(map(int, wrong[0]))
        message += f": {value[first]:.6g} should be {wanted[first]:.6g}"
        message += f" at {first}" if first else ""
    check(not len(wrong), "call", message, "what the call does beside what it says")
