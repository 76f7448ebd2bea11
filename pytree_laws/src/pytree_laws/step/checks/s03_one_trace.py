"""S3: all steps share one compilation."""

from ...engine.applicability import skip_as_resting_on
from ...engine.registry import Checks
from ...report import Law, check
from ..run import StepRun, Taken
from ..states import static_differences
from ..suite import StepSuite
from .s02_fixed_point import changes

LAW = Law(
    number="S3",
    name="one trace",
    statement="The first step compiles, and no later one; neither does the first step after a state was saved and loaded.",
    protects="Recompilation in every step, or in the first step with a state that was loaded from a checkpoint.",
    mistake="A counter of Python in the state, an optimiser or a lambda that is new in each step, `jax.jit` inside of the step, a static value that is compared by identity.",
    fix="Keep what changes in arrays; make functions and optimisers once, outside of the step; give static values an `__eq__` and a `__hash__` by value.",
    severity="cost",
)
CHECKS = Checks(LAW)


@CHECKS.register()
def test_s3_one_trace(suite: StepSuite, step_run: StepRun) -> None:
    if any(changes(step_run)):
        skip_as_resting_on("S2")
    previous = step_run.before
    for number, step in enumerate(step_run.taken, 1):
        if step.compiled and number > 1:
            where, cause = _cause(step_run, previous, step)
            check(False, where, f"step {number} compiled again ({_names(step)}): {cause}")
        previous = step
    loaded = step_run.after_loading()
    if loaded.compiled:
        rebuilt = static_differences(step_run.suite.state(0), step_run.last)
        where, cause = next(iter(rebuilt.items()), ("step", "no leaf differs"))
        message = f"the step after loading compiled again ({_names(loaded)}): {cause}"
        check(False, where, message, "a static value that is compared by identity")


def _cause(run: StepRun, before: Taken, after: Taken) -> tuple[str, str]:
    """Return the path and change of the first leaf that differs, or name a new function as the cause."""
    for old in (before.signature, run.before.signature):
        for name in sorted(old.keys() & after.signature.keys()):
            if old[name] != after.signature[name]:
                return name, f"it is {after.signature[name]}, and was {old[name]}"
    anew = "no leaf of the state differs, so a function is made anew in each step"
    return next(iter(static_differences(run.start.copied(), run.last).items()), ("step", anew))


def _names(step: Taken) -> str:
    return ", ".join(f"`{name}`" for name in dict.fromkeys(step.compiled))
