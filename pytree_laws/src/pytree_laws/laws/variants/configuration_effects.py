"""P7, P9, P12, P15 and P16 in each configuration: what holds in the example holds there as well."""

import functools
import warnings
from collections.abc import Sequence
from operator import getitem

import jax
import jax.numpy as jnp
from jax.core import Tracer

from ...discover.configuration_programs import (
    is_of_dtypes,
    leaves_behind_stops,
    leaves_reached,
    leaves_read,
    leaves_stopped,
    marks_by_path,
    whole_program,
)
from ...discover.configurations import TracedConfiguration, other_programs, traced_configurations
from ...discover.invocation import call_function, trace_call
from ...engine.applicability import CALLED, has_helper_named, need, not_applicable
from ...engine.registry import Checks
from ...errors import refuses_by_itself
from ...inspect.global_state import first_use, globals_of
from ...inspect.references import reachable, snapshot
from ...inspect.trees import arrays_of, bfloat16, changed, combine, partition
from ...kinds.pytree import PytreeSuite
from ...kinds.suite import Suite
from ...report import ADVICE, ANY_ERROR, check, doing
from ...trace.dependencies import differ_in_stops_alone
from ...trace.jaxprs import NEEDS_VALUES, is_of_flax_layer, lacks_dtype, update_lines
from ...values.optimisation import has_spec
from ...values.randomize import check_draws, redraws
from ..effects.p12_purity import NOT_IN_PLACE
from ..effects.p16_helpers import marked

CHECKS = Checks()


def _others(subject: Suite) -> Sequence[TracedConfiguration]:
    subject.need_call()
    others = other_programs(subject)
    need(others, "each configuration computes the same")
    return others


@CHECKS.register(rests_on=("test_p12_",))
def test_p12_leaves_everything_alone_in_each_configuration(subject: PytreeSuite) -> None:
    for traced in _others(subject):
        instance, place = traced.instance, traced.configuration.place
        name = type(instance).__name__
        before, globals_before = snapshot(instance, identity=True), globals_of(instance)
        use = first_use(functools.partial(_traced_from_outside, traced))
        for path, value in reachable(instance, name):
            check(not isinstance(value, Tracer), place(path), "a tracer was left behind by a call inside jit")
        same = snapshot(instance, identity=True) == before
        check(same, place(name), "a call inside jit changed what the instance holds")
        names = ", ".join(changed(globals_before, globals_of(instance)))
        # It was traced before: a cache that depends on the configuration alone is filled.
        check(not names, place(names), "each call changes it", "a list or a counter of the module")
        use.check(place("call"))


def _traced_from_outside(traced: TracedConfiguration) -> None:
    """Trace the call with the instance closed over, and not as an argument."""
    call, arguments = call_function(traced.suite, traced.configuration.given, by_name=True)
    static, arrays = partition(arguments)
    jax.eval_shape(lambda arrays: call(traced.instance, combine(static, arrays)), arrays)


@CHECKS.register(rests_on=("test_p15_each_key_is", "test_p15_each_draw_has", "test_p15_no_two_par"))
def test_p15_each_key_of_the_call_is_used_once_in_each_configuration(subject: Suite) -> None:
    need(not redraws(subject), "it draws the same again from a key that it holds")
    for traced in _others(subject):
        check_draws(traced.configuration.place("call"), functools.partial(getitem, traced.trace, 0))


@CHECKS.register(
    rests_on=("test_p07_bfloat16", "test_p07_computes_in_each", "test_p07_has_the_same_dtypes"),
    severity=ADVICE,
    of_dtypes=True,
)
def test_p07_bfloat16_stays_so_in_each_configuration(subject: Suite) -> None:
    try:
        usual = _narrow_outputs(subject, traced_configurations(subject)[0])
    except ANY_ERROR:
        not_applicable("the example itself cannot be called in bfloat16")
    need(jnp.bfloat16 in usual, "the example itself gives no bfloat16")
    hint = "a number or an array of a fixed dtype: `dtype=x.dtype`"
    for traced in _others(subject):
        gives_arrays = bool(arrays_of(dict(traced.configuration.given)))  # which stay as wide
        with doing(traced.configuration.place("call"), "the call in bfloat16", hint):
            got = [] if is_of_dtypes(traced) or gives_arrays else _narrow_outputs(subject, traced)
        for i, (dtype, before) in enumerate(zip(got, usual)):
            message = (
                f"with bfloat16 {subject.nouns} and arguments it is {dtype}, and {before} in the example"
            )
            same = dtype == before or before != jnp.bfloat16 or len(got) != len(usual)
            check(same, traced.configuration.place(f"output {i}"), message, hint)


def _narrow_outputs(subject: Suite, traced: TracedConfiguration) -> list[jnp.dtype]:
    """Return the dtypes of the outputs for bfloat16, or [] if the call cannot be traced so."""
    tree, back = subject.to_tree(traced.instance)
    try:
        with warnings.catch_warnings(action="ignore"):  # as where it was traced first
            small = back(bfloat16(tree))
            narrow = trace_call(traced.suite, small, traced.configuration.given, bfloat16, by_name=True)
    except NEEDS_VALUES:
        return []
    except ANY_ERROR as error:
        if lacks_dtype(error) or is_of_flax_layer(error) or refuses_by_itself(error, type(traced.instance)):
            return []
        raise
    return [out.dtype for out in jax.tree.leaves(narrow[0][1])]


@CHECKS.register(CALLED, rests_on=("test_p09_every_parameter", "test_p09_gradients_reach"))
def test_p09_buffers_have_no_gradient_in_each_configuration(subject: Suite) -> None:
    usual = traced_configurations(subject)[0]
    if usual.trace is None:
        not_applicable("the call cannot be traced")
    reached, cut_off = leaves_reached(usual, gradients=True), _cut_off(subject, usual)
    kept_away = [name for name, at in reached.items() if not at and name in cut_off]
    need(kept_away, "the call keeps the gradient away from nothing")
    for traced in _others(subject):
        there = leaves_reached(traced, gradients=True)
        name = next(filter(there.get, kept_away), "")
        # An option may be there to let gradients through.
        is_meant = bool(name) and differ_in_stops_alone(usual.trace[0].jaxpr, traced.trace[0].jaxpr)
        message = "a gradient reaches it, and in the example none does"
        hint = f"`jax.lax.stop_gradient(self.{name})` wherever it is read"
        check(not name or is_meant, traced.configuration.place(name), message, hint)


def _cut_off(subject: Suite, usual: TracedConfiguration) -> set[str]:
    """Return the leaves that gradients do not reach in the example, or would not if read, such as buffers."""
    marks = leaves_stopped(usual), leaves_behind_stops(usual), leaves_read(usual)
    stopped, at_once, read = ({name for name, mark in of_path.items() if mark} for of_path in marks)
    names = marks_by_path(usual, [True] * len(usual.inputs)) if subject.declares_arrays() else ()
    buffers = {name for name in names if subject.role(name) == "buffer"}
    # An update that reads it without a stop, as in a batch norm of flax, or as well, as in
    # `mean + 0.1 * (x - stop_gradient(mean))`, says nothing of the call.
    return stopped | (buffers & at_once) | (buffers - read)


@CHECKS.register(CALLED, rests_on=("test_p12_throws_no_update_away",))
def test_p12_throws_no_update_away_in_each_configuration(subject: Suite) -> None:
    every = [traced for traced in traced_configurations(subject) if traced.trace is not None]
    lines = [update_lines(whole_program(subject, traced)) for traced in every]
    of_use = {line for _, needed in lines for line in needed}  # in another configuration
    for traced, (unread, _) in zip(every, lines):
        lost = sorted(line for line in unread - of_use if line)
        message = f"nothing uses the result of {', '.join(lost)}"
        check(not lost, traced.configuration.place("call"), message, NOT_IN_PLACE)


@CHECKS.register(
    has_helper_named("trainable", "the class has no trainable"), rests_on=("test_p16_filter_specs",)
)
def test_p16_no_buffer_is_trained_in_each_configuration(subject: PytreeSuite) -> None:
    for traced in traced_configurations(subject):
        if traced.configuration.inputs and traced.instance is not None:
            trained = subject.trained_paths(traced.instance)
            wrong = [name for name in sorted(trained) if subject.role(name) in ("buffer", "data")]
            message = f"it selects {wrong}, which is not declared as trained"
            check(not wrong, traced.configuration.place("trainable"), message)


@CHECKS.register(has_helper_named("decayed", "the class has no decayed"), rests_on=("test_p16_decay_",))
def test_p16_decay_moves_nothing_that_is_frozen_in_each_configuration(subject: PytreeSuite) -> None:
    for traced in traced_configurations(subject):
        if traced.instance is not None and has_spec(traced.instance):
            moved = marked(traced.instance, traced.instance.decayed())
            frozen = sorted(moved - subject.trained_paths(traced.instance))
            message = f"it selects {frozen}, which `trainable()` does not"
            hint = "the flag that freezes it, as in `trainable()`"
            check(not frozen, traced.configuration.place("decayed"), message, hint)
