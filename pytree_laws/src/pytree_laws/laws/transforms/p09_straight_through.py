"""P9, of straight-through estimators: what passes the gradient on is not taken away again outside of `stop_gradient`."""

from typing import Any

from ...discover.method_programs import MEMBERS, traced_methods, traces_of
from ...engine.registry import Checks
from ...kinds.suite import Suite
from ...report import ADVICE, check
from ...trace.dependencies import undone_sums
from ...trace.jaxprs import line_of

CHECKS = Checks()

HINT = "`x + jax.lax.stop_gradient(y - x)` has the value of y and the gradient of x; in `x + (stop_gradient(y) - x)` that of x is gone. Where just y is meant, write `stop_gradient(y)`"


@CHECKS.register(severity=ADVICE)
def test_p09_a_gradient_that_is_passed_on_is_not_taken_away_again(subject: Suite) -> None:
    subject.need_call()
    _check("call", subject.traced_call())


@CHECKS.register(MEMBERS, severity=ADVICE)
def test_p09_methods_pass_gradients_on(subject: Suite) -> None:
    for method in traced_methods(subject):
        _check(method.name, traces_of(subject)[method.name])


def _check(where: str, closed: Any) -> None:
    for equation in undone_sums(closed.jaxpr):
        line = line_of(equation)
        message = f"a term of a sum is taken away again beside `stop_gradient`{f': {line}' if line else ''}"
        check(False, where, message, HINT)
