"""P9: gradients flow through data and state, and not past a number that stops them."""

from typing import Any

import jax
import numpy as np

from ...engine.applicability import CALLED, need, not_applicable, of_leaves
from ...engine.registry import Checks
from ...inspect.arrays import is_floating, on_device
from ...inspect.trees import flatten, named_leaves, replace_leaves
from ...kinds.mutable import MutableSuite
from ...kinds.pytree import PytreeSuite
from ...report import check, result_or_error
from ...trace.dependencies import STOP, handed_to_stop
from ...trace.jaxprs import is_variable
from ...trace.programs import compiled
from ...values.closeness import check_flow
from ...values.optimisation import weighted_sum
from ...values.randomize import randomize
from .p09_gradient import LAW

CHECKS = Checks(LAW)
NOTHING_FLOWS = "no data is declared that has a gradient, and nothing frozen"
FLOWS = of_leaves(NOTHING_FLOWS, lambda leaf: leaf.role == "data" or leaf.frozen)


@CHECKS.register(FLOWS, CALLED)
def test_p09_gradients_flow_through_what_is_not_trained(subject: PytreeSuite) -> None:
    instance, arguments = randomize(subject.cached_example(), 2)
    flows = {n for n in subject.flowing(instance) if subject.role(n) == "data" or subject.is_frozen(n)}
    data = [(n, leaf) for n, leaf in named_leaves(instance) if n in flows]
    need(data and subject.leaves is not None, NOTHING_FLOWS)
    hint = "`jax.lax.stop_gradient` on data, or on what is frozen; what is to be cut off is a buffer"
    for name, leaf in data:

        def run(values: list[Any], name: str = name) -> Any:
            return subject.run(subject.with_array(instance, name, values[0]), *arguments)

        check_flow(name, run, [leaf], hint)


@CHECKS.register(of_leaves("no number is declared to stop gradients", lambda leaf: leaf.stopped), CALLED)
def test_p09_no_gradient_passes_through_stopped_numbers(subject: PytreeSuite) -> None:
    instance, arguments = subject.cached_example()
    values = dict(named_leaves(instance))
    hint = "`jax.lax.stop_gradient` around it, as `eqx.nn.Dropout` has it, where the call reads it"
    for leaf in subject.manifest() if subject.declares_arrays() else ():
        if leaf.stopped:
            grad = _grad_in_place(subject, instance, arguments, leaf.path, values[leaf.path])
            message = f"an array in its place has the gradient {grad}, declared is that it stops gradients"
            check(not np.any(grad), leaf.path, message, hint)


def _grad_in_place(subject: PytreeSuite, instance: Any, arguments: Any, path: str, number: float) -> Any:
    """Return the gradient by an array in place of a number, or 0 if the call takes no array there."""

    def loss(value: Any) -> Any:
        return weighted_sum(subject.run(subject.with_array(instance, path, value), *arguments))

    grad = result_or_error(compiled(jax.grad(loss)), on_device(number, np.float32))
    return 0.0 if isinstance(grad, Exception) else grad


@CHECKS.register()
def test_p09_gradients_flow_through_data_and_state(subject: MutableSuite) -> None:
    instance, arguments = subject.cached_example()
    if not subject.declares_arrays() or not any(variable.flows for variable in subject.manifest()):
        not_applicable("nothing is declared that has a gradient and is no parameter")
    need(not subject.truncated, "gradients end at what the call updates on purpose")
    start, rebuilt = subject.flowing_values(instance)
    arguments_flat, treedef = flatten(arguments)
    floats = [i for i, leaf in enumerate(arguments_flat) if is_floating(leaf)]

    def run(values: list[Any]) -> Any:
        passed = replace_leaves(arguments_flat, dict(zip(floats, values[len(start) :])))
        output, after = subject.run(rebuilt(dict(zip(start, values))), *treedef.unflatten(passed))
        # To what flows nowhere, as a running mean, a call may send none either.
        return output, {path: after[path] for path in start if path in after}

    values = [*start.values(), *(arguments_flat[i] for i in floats)]
    traced = jax.make_jaxpr(run, return_shape=True)(values)
    cut_off = _stored_behind_stops(traced)
    # What the call itself cuts off where it is given says nothing of the state.
    closed = handed_to_stop(traced[0].jaxpr)[len(start) :]
    moved = [*range(len(start)), *(len(start) + i for i, is_closed in enumerate(closed) if not is_closed)]

    def run_without(moving: list[Any]) -> Any:
        output, after = run(replace_leaves(values, dict(zip(moved, moving))))
        return output, {path: value for path, value in after.items() if path not in cut_off}

    hint = "`jax.lax.stop_gradient` on data, or on what the call updates"
    check_flow("call", run_without, [values[i] for i in moved], hint)


def _stored_behind_stops(traced: tuple[Any, Any]) -> set[str]:
    """Return the paths that a call updates with the result of a `stop_gradient`.

    The stop says that no gradient is meant to flow there.
    """
    closed, (_, after) = traced
    stopped = {v for equation in closed.eqns if equation.primitive.name == STOP for v in equation.outvars}
    variables = closed.jaxpr.outvars[len(closed.jaxpr.outvars) - len(after) :]
    return {path for path, v in zip(sorted(after), variables) if is_variable(v) and v in stopped}
