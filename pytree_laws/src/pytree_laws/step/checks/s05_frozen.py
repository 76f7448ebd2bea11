"""S5: frozen leaves do not move."""

import numpy as np

from ...engine.applicability import need
from ...engine.registry import Checks
from ...inspect.trees import under_any
from ...report import Law, check
from ..run import StepRun
from ..suite import StepSuite

LAW = Law(
    number="S5",
    name="frozen",
    statement="No step moves a leaf that is declared frozen, or that `trainable()` leaves out, by a single bit.",
    protects="Weight decay or momentum that moves what you froze.",
    mistake="Weight decay or momentum that reaches what has no gradient; a mask that was made of another tree, or by identity.",
    fix="Filter before the optimiser: `eqx.partition(model, model.trainable())`, or `optax.masked` with a function of the tree.",
)
CHECKS = Checks(LAW)


@CHECKS.register()
def test_s5_frozen_leaves_stay(suite: StepSuite, step_run: StepRun) -> None:
    paths = suite.frozen_paths(suite.state(0))
    need(paths, "nothing is frozen")
    names = [n for n in step_run.before.values if under_any(n, paths)]
    nearest = ", ".join(step_run.before.values)
    check(bool(names), "frozen", f"{', '.join(paths)} names no array; legal: {nearest:.300}")
    for number, step in enumerate(step_run.taken, 1):
        for name in names:
            before, after = step_run.before.values[name], step.values.get(name)
            same = after is not None and before.tobytes() == after.tobytes()
            message = f"step {number} moved it by {_distance(before, after)}"
            check(same, name, message, "weight decay, or a mask that does not fit the tree")


def _distance(before: np.ndarray, after: np.ndarray | None) -> str:
    if after is None or before.shape != after.shape:
        return "more than its shape tells"
    difference = after.astype(np.complex128) - before.astype(np.complex128)
    return f"{np.max(np.abs(difference)):.3g}"
