"""S10: a step uses the batch."""

from ...engine.registry import Checks
from ...report import Law, check
from ..run import StepRun
from ..suite import StepSuite

LAW = Law(
    number="S10",
    name="batch",
    statement="Two batches lead from one state to two states.",
    protects="A step that closed over one batch while it was traced, and sees no other.",
    mistake="A batch that the step captures from outside instead of its argument.",
    fix="Use the argument.",
)
CHECKS = Checks(LAW)


@CHECKS.register()
def test_s10_a_step_uses_the_batch(suite: StepSuite, step_run: StepRun) -> None:
    arrays, other = step_run.step_from_start(0), step_run.step_from_start(1)
    differs = any(arrays[name].tobytes() != other[name].tobytes() for name in arrays)
    check(differs, "batch", "the step gives the same for both batches")
