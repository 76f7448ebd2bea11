"""P7, of calls in a narrower dtype than their stored arrays: reads are cast, and little is lost."""

import contextlib
from typing import Any
from unittest import mock

import jax
import jax.numpy as jnp
import numpy as np

from ...engine.applicability import CALLED, declares, need, not_applicable
from ...engine.registry import Checks
from ...inspect.arrays import host, is_floating, is_inexact
from ...inspect.trees import flatten, named_arrays, named_leaves, nodes, under_any
from ...kinds.pytree import PytreeSuite
from ...kinds.training import results_and_grads
from ...report import check, doing
from ...trace.dependencies import computed_on
from ...trace.jaxprs import draws_of, equations
from ...values.closeness import tolerance_of
from ...values.comparison import check_compared
from .p07_jit_equals_eager import LAW

ATTRIBUTE = "compute_dtype"
"""Class attribute that the casts read."""
GRADIENT_SLACK = 4.0  # a gradient goes through the call twice
WORD = 4
"""Bytes of a draw for a float of 32 bits."""
CHECKS = Checks(LAW)
COMPUTES = declares("compute", "the call computes in the dtype that is stored")


@CHECKS.register(COMPUTES, CALLED)
def test_p07_reads_in_the_dtype_that_it_computes_in(subject: PytreeSuite) -> None:
    names, wider = [name for name, _ in named_arrays(subject.cached_instance())], _read(subject)
    for name, primitive in zip(names, computed_on(subject.traced_call().jaxpr, str(subject.compute))):
        message = f"`{primitive}` reads it as it is stored, and not in {subject.compute}"
        hint = "a cast, `self.weight.astype(self.compute_dtype)`; `uncast` names what is meant so"
        check(not primitive or name not in wider, name, message, hint)


@CHECKS.register(
    COMPUTES, declares("uncast", "the call reads everything in the dtype that it computes in"), CALLED
)
def test_p07_reads_what_is_uncast_as_it_is_stored(subject: PytreeSuite) -> None:
    jaxpr, narrow = subject.traced_call().jaxpr, jnp.dtype(str(subject.compute))
    names = [name for name, _ in named_arrays(subject.cached_instance())]
    casts = (each for each in equations(jaxpr) if each.primitive.name == "convert_element_type")
    rounded = {id(cast.invars[0]) for cast in casts if cast.params["new_dtype"] == narrow}
    for name, variable, primitive in zip(names, jaxpr.invars, computed_on(jaxpr, str(subject.compute))):
        is_rounded = not primitive and id(variable) in rounded and under_any(name, subject.uncast)
        message = f"it is rounded to {subject.compute} wherever it is read, and declared as `uncast`"
        check(not is_rounded, name, message, "a cast that is left over, or `uncast` that is out of date")


@CHECKS.register(COMPUTES)
def test_p07_computes_what_the_stored_dtype_gives(subject: PytreeSuite) -> None:
    instance, _ = subject.cached_example()
    classes = {type(node) for _, node, _ in nodes(instance)}
    casting = [cls for cls in classes if hasattr(cls, ATTRIBUTE)]
    need(casting, f"no class has `{ATTRIBUTE}`, by which to compute in another")
    if draws_narrow(subject):
        not_applicable("it draws in the dtype that it computes in: in another it draws other numbers")
    results, grads = _results_and_grads(subject)
    with contextlib.ExitStack() as stack:
        for cls in casting:
            stack.enter_context(mock.patch.object(cls, ATTRIBUTE, jnp.result_type(float)))
        wide, wide_grads = _results_and_grads(subject)
    for i, (value, wanted) in enumerate(zip(results, wide, strict=True)):
        _check_near(subject, f"output {i}", value, wanted, 1.0)
    for name, grad in grads.items():
        _check_near(subject, f"the gradient of {name}", grad, wide_grads[name], GRADIENT_SLACK)


def draws_narrow(subject: PytreeSuite) -> bool:
    """Whether the call draws numbers of fewer than 32 bits."""
    draws = draws_of(subject.traced_call().jaxpr) if subject.called() else []
    return any(draw.outvars[0].aval.dtype.itemsize < WORD for draw in draws)


def _read(subject: Any) -> dict[str, int]:
    """Return the positions of float leaves wider than the compute dtype, by path.

    Leaves of `uncast`, and of parts that cast themselves, are left out.
    """
    instance, bits = subject.cached_instance(), jnp.finfo(subject.compute).bits
    parts = [path for path, node, _ in nodes(instance) if path and hasattr(node, ATTRIBUTE)]
    named = zip(named_leaves(instance), flatten(instance)[0], strict=True)
    return {
        name: i
        for i, ((name, _), leaf) in enumerate(named)
        if is_floating(leaf) and jnp.finfo(leaf.dtype).bits > bits
        if not under_any(name, (*subject.uncast, *parts))
    }


def _results_and_grads(subject: PytreeSuite) -> tuple[list[Any], dict[str, Any]]:
    """Return the arrays of the eager call, and the gradients of their weighted sum by path."""
    places = [*_read(subject).values()]
    with doing("call", "the gradient of the call"), jax.disable_jit():
        return results_and_grads(subject.call, *subject.cached_example(), places, lambda run: run)


def _check_near(subject: Any, where: str, got: Any, wanted: Any, slack: float) -> None:
    """Check that two arrays agree to the precision of the narrower dtype, at their largest element."""
    if not is_inexact(wanted):
        return
    allowed = slack * tolerance_of(jnp.dtype(subject.compute), subject.tolerance)
    value, other = (host(v).astype(np.float64) for v in (got, wanted))
    biggest = float(np.abs(other).max(initial=0.0)) or 1.0
    message = f"in {subject.compute} it is not what it is as stored"
    hint = "a sum or an exponential that needs more bits: compute it in float32; `tolerance` allows more rounding"
    check_compared(where, message, value / biggest, other / biggest, allowed, hint)
