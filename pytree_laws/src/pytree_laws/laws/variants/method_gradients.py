"""P9, of methods: their gradients."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from ...declare.methods import Method, is_of_class, is_property, is_read_by_untried
from ...discover.evaluation import of_one_sign
from ...discover.method_programs import (
    MEMBERS,
    compiled_grads_of_methods,
    cut_off_by,
    decided_by,
    given_back_by,
    grads_reaching,
    names_of,
    pushed,
    steps_an_optimiser,
    traced_methods,
    traces_of,
    way,
)
from ...discover.method_slopes import (
    SlopesAt,
    arguments_with_gradient,
    leaves_with_gradient,
    slopes_by_arguments,
    stopped_arguments,
    stopped_in,
    stopped_leaves,
)
from ...discover.method_uses import Traced, Use, gives_an_instance
from ...discover.traced_uses import traced_uses
from ...engine.applicability import METHODS, Condition, need, of_methods
from ...engine.registry import Checks
from ...inspect.trees import shown_path
from ...kinds.suite import Suite
from ...report import ADVICE, FAULT, check, doing
from ...trace.dependencies import differ_in_stops_alone
from ...trace.jaxprs import draws_by_rejection, own_rules
from ...values.closeness import KINK, STEP, is_smooth
from ...values.dtypes import is_half
from ...values.edge_values import is_finite_around_zero

CHECKS = Checks()
STOPS = (
    "`jax.lax.stop_gradient`; `Method(..., stopped=(...,))` names the paths of leaves that it is meant for"
)


def _points(start: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the flowing values at the start, and at a second point where fewer slopes are 0."""
    pairs = enumerate(start.items(), 3)
    return [start, {name: pushed(leaf, 0.3, _way(leaf, i)) for i, (name, leaf) in pairs}]


STEPS = (STEP, STEP / 10)
"""Lengths of steps. A kink that only one of them crosses gives them different slopes."""
TOLD_APART = 1e-5
"""Share of a sum in 32 bits that a step has to move, so that its slope exceeds rounding."""
ALIKE = 2 * KINK
"""Relative difference of the two slopes that a straight way may show."""
ROOT = "a root or a norm of zeros: `jnp.where` hides a NaN of the value, and not that of its gradient, so make what goes in safe, `jnp.where(x > 0, x, 1)`"
INTEGERS = "an array that a gradient is to train, which no integer passes on, as of `argmax`"
NOT_CALLED = Condition("the call reaches the parameters", lambda suite: not suite.called())
CLOSED = of_methods("no method declares what it closes", lambda method: method.closed)


@CHECKS.register(METHODS, rests_on=("test_p09_every_parameter_has_a_gradient",))
def test_p09_methods_have_true_gradients(subject: Suite) -> None:
    traced_methods(subject, declared=True)
    start, _ = subject.flowing_values(subject.cached_instance())
    need(start, "no gradient flows through anything that the class holds")
    for point in _points(start):
        _check_grads(subject, point)


@CHECKS.register(NOT_CALLED)
def test_p09_methods_reach_every_parameter(subject: Suite) -> None:
    methods, cls = traced_methods(subject), type(subject.cached_instance())
    methods = [m for m in methods if not (is_of_class(cls, m.name) or is_property(cls, m.name))]
    # A method without operations replaces a part, or gives one.
    traces = traces_of(subject)
    methods = [m for m in methods if traces[m.name].jaxpr.eqns]
    need(methods, "what the class is for, no method does")
    if any(method.found for method in methods):
        pytest.skip("a method that nobody declared may use it")
    need(not callable(subject.cached_instance()), "the class has a call, of which there is no example")
    start, _ = subject.flowing_values(subject.cached_instance())
    start = {path: leaf for path, leaf in start.items() if subject.asks_gradient(path)}
    tried = {method.name for method in traced_methods(subject)}
    decided = {method.name: decided_by(subject, method) for method in methods}
    cut_off = set[str]().union(*(cut_off_by(subject, method) for method in methods))
    kept = cut_off.union(*(given_back_by(subject, method) for method in methods))
    advised = cut_off.union(*decided.values())
    for name in sorted(_unreached(subject, start) if start else (), key=advised.__contains__):
        by = " and ".join(f"`{method}`" for method, paths in decided.items() if name in paths)
        message = "no method has a gradient with respect to it"
        message += f": {by} computes integers or bools with it" * bool(by)
        hint = INTEGERS if by else "a leaf that nothing uses, or stop_gradient on it"
        hint += "; `unused=True` in the suite, `unused` in a spec, says that it is for others"
        is_meant = subject.is_unused(name) or (name in kept and subject.role(name) == "data")
        is_meant = is_meant or is_read_by_untried(cls, tried, name.partition(".")[0])
        check(is_meant, name, message, hint, severity=ADVICE if name in advised else FAULT)


def _unreached(subject: Suite, start: dict[str, Any]) -> list[str]:
    """Return the paths by which no method has a gradient at any point."""
    unreached = [*start]
    for grads in _grads_at_points(subject, start):
        unreached = [name for name in unreached if not np.any(grads[name])]
        if not unreached:
            break
    return unreached


def _grads_at_points(subject: Suite, start: dict[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the gradients of all methods by path: at the start, elsewhere, and with other counters."""
    instance = subject.cached_instance()
    for has_counted in (False, True) if subject.counted(instance) is not instance else (False,):
        run = compiled_grads_of_methods(subject, has_counted)
        yield from (run(point)[0] for point in _points(start))


@CHECKS.register(MEMBERS, rests_on=("test_p09_every_parameter_has_a_gradient",))
def test_p09_methods_send_no_gradient_to_buffers(subject: Suite) -> None:
    start, rebuilt = subject.buffer_values(subject.cached_instance())
    methods = traced_methods(subject)
    need(start, "there is no buffer that could have a gradient")
    hint = "`jax.lax.stop_gradient` around it, where the method reads it"
    for method in methods:
        arguments = method.arguments(0)
        if gives_an_instance(subject, method, subject.cached_instance(), arguments):
            continue  # of which the buffers are a part
        for name in grads_reaching(subject, method, rebuilt, start, arguments):
            check(False, method.name, f"a gradient reaches the buffer `{name}`", hint)


@CHECKS.register(MEMBERS, rests_on=("test_p09_methods_send_no_gradient",))
def test_p09_methods_keep_gradients_from_buffers_at_other_values(subject: Suite) -> None:
    buffers, _ = subject.buffer_values(subject.cached_instance())
    need(buffers, "there is no buffer that could have a gradient")
    hint = "`jax.lax.stop_gradient` around it, wherever the method reads it"
    for method in traced_methods(subject):
        traced = [(use, trace) for use, trace, _ in traced_uses(subject)[method.name] if trace is not None]
        kept_away = {name for pair in traced if pair[0].is_plain for name in stopped_leaves(subject, *pair)}
        for use, trace in traced:
            flowing = leaves_with_gradient(subject, use, trace)
            name = next((name for name in flowing if name in kept_away & buffers.keys()), "")
            message = (
                f"a gradient reaches the buffer `{name}`, which `stop_gradient` keeps away in the example"
            )
            check(not name or _decides_on_stops(traced, trace), use.name, message, hint)


def _decides_on_stops(traced: Sequence[tuple[Use, Traced]], trace: Traced) -> bool:
    """Whether a use differs from the example in stops alone, by an option that lets gradients through."""
    plain = (usual.jaxpr.jaxpr for use, usual in traced if use.is_plain)
    return any(differ_in_stops_alone(usual, trace.jaxpr.jaxpr) for usual in plain)


@CHECKS.register(CLOSED)
def test_p09_methods_send_no_gradient_to_what_they_close(subject: Suite) -> None:
    hint = "`jax.lax.stop_gradient` around all that the method reads of it"
    for method in traced_methods(subject, declared=True):
        for use, trace, _ in traced_uses(subject)[method.name] if method.closed else ():
            if trace is None:
                continue
            flowing = leaves_with_gradient(subject, use, trace)
            reached = [f"`{name}`" for name in flowing if method.closes(name)]
            given = arguments_with_gradient(use, trace)
            reached += [f"argument {path}" for path in given if int(path.partition(".")[0]) in method.closed]
            message = f"a gradient reaches {', '.join(reached)}, which it reads behind `stop_gradient` alone"
            check(not reached, use.name, message, hint)


@CHECKS.register(METHODS, severity=ADVICE)
def test_p09_gradients_of_methods_reach_their_arguments(subject: Suite) -> None:
    for method in traced_methods(subject, declared=True):
        for path in stopped_arguments(subject, method):
            _check_stopped(method, method.name, path)


@CHECKS.register(METHODS, severity=ADVICE)
def test_p09_gradients_of_methods_reach_their_arguments_at_other_values(subject: Suite) -> None:
    for method in traced_methods(subject, declared=True):
        usual = {path.partition(".")[0] for path in stopped_arguments(subject, method)}
        for use, trace, _ in traced_uses(subject)[method.name]:
            stopped = stopped_in(subject, use, trace) if trace is not None and not use.is_plain else ()
            for index in sorted({path.partition(".")[0] for path in stopped} - usual):
                _check_stopped(method, use.name, index)


def _check_stopped(method: Method, where: str, path: str) -> None:
    """Check that a method declares the argument that no gradient reaches."""
    index = path.partition(".")[0]
    message = f"what it gives depends on argument {path}, and no gradient reaches that"
    hint = f"`jax.lax.stop_gradient` around it; `Method(..., stopped=({index},))` says that this is so on purpose"
    check(int(index) in (*method.stopped, *method.closed), where, message, hint)


@CHECKS.register(METHODS, severity=ADVICE, rests_on=("test_p09_methods_have_true_gradients",))
def test_p09_methods_have_gradients_at_other_values(subject: Suite) -> None:
    for method in traced_methods(subject, declared=True):
        usual = set[str]()
        traced = [(use, trace) for use, trace, _ in traced_uses(subject)[method.name] if trace is not None]
        for use, trace in traced:
            stopped = stopped_leaves(subject, use, trace)
            if stopped and _decides_on_stops(traced, trace):
                continue
            flowing = subject.flowing_values(use.instance)[0].keys() - usual if stopped else ()
            for name in stopped:
                message = f"what it gives depends on `{name}`, and no gradient reaches that"
                check(name not in flowing or method.may_stop(name), use.name, message, STOPS)
            usual |= {*stopped} if use.is_plain else set()  # of which the example tells


@CHECKS.register(METHODS)
def test_p09_no_gradient_of_a_method_is_nan_at_zeros(subject: Suite) -> None:
    slopes = slopes_by_arguments(subject)
    methods = {method.name: method for method in traced_methods(subject, declared=True)}
    for name, at_zeros in slopes.filled(0).items():
        finite = all(np.isfinite(np.asarray(v)).all() for v in at_zeros.values)
        wrong = finite and any(np.isnan(np.asarray(v)).any() for v in at_zeros.by_argument.values())
        arguments = methods[name].arguments(0) if wrong else ()
        makes_one = wrong and gives_an_instance(subject, methods[name], subject.cached_instance(), arguments)
        is_bent = makes_one and _bends_at_zeros(name, slopes)
        if is_bent or (wrong and steps_an_optimiser(subject, methods[name])):
            continue
        message = "at arguments of zeros its result is finite, and the gradient by them is NaN"
        severity = ADVICE if wrong and not_for_zeros(arguments, name, slopes) else FAULT
        check(not wrong, name, message, ROOT, severity=severity)


def _bends_at_zeros(name: str, slopes: SlopesAt) -> bool:
    """Whether a method has no slope at zeros along its example, as the deviation of equal data."""
    ways = slopes.scaled(-STEP), slopes.filled(0), slopes.scaled(STEP)
    return not is_smooth(*(np.concatenate([np.ravel(v) for v in at[name].values]) for at in ways))


def not_for_zeros(arguments: Any, name: str, slopes: SlopesAt) -> bool:
    """Whether a method may not be for zeros.

    Such a method takes numbers of one sign, or is not finite on both sides of zero.
    """

    def numbers_at(fill: float) -> list[Any]:
        at_fill = slopes.filled(fill)[name]
        return [*at_fill.values, *at_fill.by_argument.values()]

    return of_one_sign([arguments]) or not is_finite_around_zero(numbers_at)


def _check_grads(subject: Suite, point: dict[str, Any]) -> None:
    methods = traced_methods(subject, declared=True)
    with doing(names_of(methods), "the gradient of one of these"):
        run = compiled_grads_of_methods(subject)
        grads, middle = run(point)
    without = [
        draws_by_rejection(traces_of(subject)[m.name].jaxpr) or steps_an_optimiser(subject, m)
        for m in methods
    ]
    for name, leaf in point.items():
        ahead = _way(leaf)
        at = {s: run({**point, name: pushed(leaf, s, ahead)})[1] for step in STEPS for s in (-step, step)}
        for i, method in enumerate(methods):
            if without[i]:
                continue
            values = {step: sums_of_moved(at[-step][i], middle[i], at[step][i]) for step in STEPS}
            _check_grad(subject, method, name, (grads[name][i], ahead), values)


def _way(leaf: Any, seed: int = 5) -> np.ndarray:
    """Return a direction in which to move a leaf.

    A symmetric matrix stays symmetric, since code may read only one of its triangles.
    """
    direction, value = way(leaf, seed), np.asarray(leaf)
    is_square = value.ndim > 1 and value.shape[-2] == value.shape[-1]
    if not (is_square and np.array_equal(value, np.swapaxes(value, -2, -1))):
        return direction
    return (direction + np.swapaxes(direction, -2, -1)) / 2


def sums_of_moved(*terms: np.ndarray) -> tuple[float, ...]:
    """Sum the terms that differ or are not finite.

    Beside large terms that stay, a small change would be lost in rounding.
    """
    every = np.stack(terms)
    moved = np.any((every != terms[0]) | ~np.isfinite(every), axis=0)
    with np.errstate(invalid="ignore"):
        return tuple(float(np.sum(each[moved])) for each in terms)


def _check_grad(
    subject: Suite,
    method: Method,
    name: str,
    gradient_and_way: tuple[np.ndarray, np.ndarray],
    values: Mapping[float, Sequence[float]],
) -> None:
    """Check that the gradient is the slope that steps of two lengths show.

    If their slopes differ, the way bends, and the check passes.
    """
    grad, ahead = gradient_and_way
    finite = {step: moved for step, moved in values.items() if np.isfinite(moved).all()}
    if not finite or grad.dtype.itemsize <= 2:
        return
    shown = shown_path(subject.cached_instance(), name)
    message = f"the output is finite, and its gradient by `{shown}` has NaN"
    check(not np.isnan(grad).any(), method.name, message, ROOT)
    if is_half(subject.narrowest) or method.may_stop(name):
        return
    slope_of = {step: (moved[2] - moved[0]) / (2 * step) for step, moved in finite.items()}
    slopes = [slope_of[step] for step, moved in finite.items() if is_smooth(*moved)]
    every = [slope_of[step] for step, moved in finite.items() if is_told_apart(moved)]
    spread = max(every, default=0.0) - min(every, default=0.0)
    if slopes and spread < ALIKE * max(map(abs, every)):
        slope, given = slopes[0], float(np.sum(grad * ahead.astype(grad.dtype)))
        message = f"small steps of `{shown}` show the slope {slope:.4g}, its gradient is {given:.4g}"
        near = any(abs(each - given) < KINK * abs(each) + spread for each in slopes)
        severity = ADVICE if name in cut_off_by(subject, method) else FAULT
        rules = own_rules(traces_of(subject)[method.name].jaxpr)
        hint = f"the rule of `{rules[0]}`" if rules else STOPS
        check(near, method.name, message, hint, severity=severity)


def is_told_apart(moved: Sequence[float]) -> bool:
    """Whether a step moves sums in 32 bits by much more than their rounding."""
    return abs(moved[2] - moved[0]) > TOLD_APART * max(map(abs, moved))
