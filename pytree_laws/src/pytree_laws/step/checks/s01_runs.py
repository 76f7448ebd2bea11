"""S1: the step runs."""

from ...engine.registry import Checks
from ...report import Law
from ..run import StepRun
from ..suite import StepSuite

LAW = Law(
    number="S1",
    name="runs",
    statement="The step takes the state and a batch, and gives the next state.",
    protects="A training loop that fails after the data is loaded and the job has been queued.",
    mistake="A state or a batch that does not fit the step.",
    fix="Run the step once by hand, with `state(0)` and `batch(0)` of the suite.",
)
CHECKS = Checks(LAW)


@CHECKS.register()
def test_s1_the_step_runs(suite: StepSuite, step_run: StepRun) -> None:
    if step_run.error is not None:
        raise step_run.error
