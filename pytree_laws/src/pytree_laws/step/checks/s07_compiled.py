"""S7: the compiled step holds no data and calls no host."""

from typing import Any

from ...engine.applicability import need
from ...engine.registry import Checks
from ...report import Law, check
from ...trace.jaxprs import equations
from ...trace.program_texts import constants_of
from ..run import StepRun
from ..suite import StepSuite

LAW = Law(
    number="S7",
    name="compiled",
    statement="The compiled step calls nothing of the host, and holds no array above `constant_limit` bytes.",
    protects="Compiled steps that call back to the host, which the device waits for, and programs that carry a data set as a constant.",
    mistake="A print that was left over, a metric that is sent to the host, a data set or a table that the step captures.",
    fix="Return what is to be printed; hand arrays in as arguments, or keep them in the state. `callbacks = True` declares calls that are meant.",
    severity="cost",
)
CHECKS = Checks(LAW)
_CALLBACKS = ("callback", "debug_print", "infeed", "outfeed")


@CHECKS.register()
def test_s7_the_compiled_step_holds_no_data_and_calls_no_host(suite: StepSuite, step_run: StepRun) -> None:
    need(not isinstance(step_run.jaxpr, Exception), "the step as a whole cannot be traced")
    if not step_run.suite.callbacks:
        for equation in equations(step_run.jaxpr.jaxpr):
            name = equation.primitive.name
            is_call = any(part in name for part in _CALLBACKS) and not _is_check(equation)
            check(not is_call, "step", f"`{name}` calls the host at each run")
    for constant in constants_of(step_run.jaxpr):
        size = getattr(constant, "nbytes", 0)
        message = f"an array of {size:,} bytes is part of the compiled step; {step_run.suite.constant_limit:,} are allowed"
        form = f"{constant.dtype}[{','.join(map(str, constant.shape))}]"
        check(size <= step_run.suite.constant_limit, form, message)


def _is_check(equation: Any) -> bool:
    """Whether an equation is the callback of `eqx.error_if`, which runs only if a check fails."""
    callback = equation.params.get("callback")
    return getattr(getattr(callback, "callback_func", callback), "__module__", None) == "equinox._errors"
