"""S1: the step runs."""

from ..report import Law
from .run import StepRun

LAW = Law(
    number="S1",
    name="runs",
    statement="The step takes the state and a batch, and gives the next state.",
    protects="A training loop that fails after the data is loaded and the job has been queued.",
    mistake="A state or a batch that does not fit the step.",
    fix="Run the step once by hand, with `state(0)` and `batch(0)` of the suite.",
)


def check_runs(run: StepRun) -> None:
    """Raise what the first step raised."""
    if run.error is not None:
        raise run.error
