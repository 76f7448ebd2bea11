"""S2: a step leaves structure, dtypes and weak types as they are."""

from collections.abc import Iterator

from ...engine.registry import Checks
from ...report import Law, check
from ..run import StepRun
from ..suite import StepSuite

LAW = Law(
    number="S2",
    name="fixed point",
    statement="The state after a step has the paths, shapes, dtypes, weak types and devices of the state before it.",
    protects="A second compilation, or an error of `lax.scan`, because the state that comes out is not of the types that went in.",
    mistake="A float of Python in the state, an update in another dtype, a part that only some steps return.",
    fix="Make the first state as the step returns it: `jnp.asarray(value, dtype)`, or cast at the end of the step.",
)
CHECKS = Checks(LAW)
HINT = "jax compiles the step again for each other form of its state, and `lax.scan` over steps raises"


@CHECKS.register()
def test_s2_the_state_is_a_fixed_point(suite: StepSuite, step_run: StepRun) -> None:
    for name, change in changes(step_run):
        check(False, name, change, HINT)


def changes(run: StepRun) -> Iterator[tuple[str, str]]:
    """Yield the path of each array that a step adds, drops or changes in form, and the change."""
    before = run.before.signature
    for number, step in enumerate(run.taken, 1):
        after = step.signature
        for name in before | after:
            was, now = before.get(name), after.get(name)
            if was is None or now is None:
                yield (name, f"it is {'new' if was is None else 'gone'} after step {number}")
            elif was != now and "[" in was.partition(" ")[0]:  # the form of an array
                yield name, f"after step {number} it is {now}, and was {was}"
        before = after
