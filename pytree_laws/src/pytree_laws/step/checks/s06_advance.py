"""S6: a step begins with the state that the step before it returned."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...engine.applicability import need
from ...engine.registry import Checks
from ...inspect.trees import under_any
from ...report import Law, check
from ...trace.dependencies import inputs_reaching
from ...trace.jaxprs import constant_draws
from ..run import StepRun
from ..suite import StepSuite

LAW = Law(
    number="S6",
    name="advances",
    statement="A step reads each array of the state that it writes, and draws from a key that differs from step to step.",
    protects="Momentum that starts from zero in every step, and dropout that draws the same mask in every step.",
    mistake="`optimiser.init` inside of the step, so that momentum is lost; one key for all steps.",
    fix="Initialise where the state is built; split the key in the step and keep the new one, or `fold_in` the number of the step.",
)
CHECKS = Checks(LAW)
LOST = "what the last step left there is lost; `overwritten` declares where that is meant"


@CHECKS.register()
def test_s6_the_state_advances(suite: StepSuite, step_run: StepRun) -> None:
    need(not isinstance(step_run.jaxpr, Exception), "the step as a whole cannot be traced")
    for name in _overwritten(step_run):
        check(False, name, "each step writes it, and none reads it", LOST)
    jaxpr, names = step_run.jaxpr.jaxpr, sorted(step_run.arrays)
    variables = {v for v, name in zip(jaxpr.invars, names, strict=True) if _differs(step_run, name)}
    draws = [str(draw.outvars[0].aval) for draw in constant_draws(jaxpr, variables)]
    keys = [n for n in names if _is_key(step_run.arrays[n]) and not _differs(step_run, n)]
    message = f"each step draws the same {', '.join(draws[:3])}: the key does not differ"
    check(not draws, keys[0] if keys else "step", message)


def _overwritten(run: StepRun) -> Iterator[str]:
    """Yield the arrays of the state that a step changes without reading them, except real scalars."""
    used = dict(zip(sorted(run.arrays), inputs_reaching(run.jaxpr.jaxpr), strict=True))
    for name, before in run.before.values.items():
        is_metric = before.ndim == 0 and before.dtype.kind not in "iu"
        if is_metric or used[name] or under_any(name, run.suite.overwritten):
            continue
        if any(_moved(before, step.values.get(name)) for step in run.taken):
            yield name


def _moved(before: np.ndarray, after: np.ndarray | None) -> bool:
    return after is not None and before.tobytes() != after.tobytes()


def _differs(run: StepRun, name: str) -> bool:
    """Whether an integer or a key changes from one step to the next, or an array is of the batch."""
    array = run.arrays[name]
    if name.startswith("batch."):
        return True
    if not (_is_key(array) or np.dtype(array.dtype).kind in "iu"):
        return False
    first, second = run.taken[:2]
    return _moved(first.values[name], second.values.get(name))


def _is_key(array: Any) -> bool:
    return str(array.dtype).startswith("key<") or (array.dtype == np.uint32 and array.shape[-1:] == (2,))
