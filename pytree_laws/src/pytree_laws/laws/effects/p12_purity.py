"""P12: a call leaves everything alone."""

import contextlib
import inspect
import warnings
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax.core import Tracer

from ...discover.invocation import call_text, trace_of_call
from ...engine.applicability import CALLED, need
from ...engine.first_use import first_call
from ...engine.registry import Checks
from ...inspect.arrays import is_array, is_key
from ...inspect.classes import own_properties, twin_class
from ...inspect.global_state import clear_caches, globals_of
from ...inspect.references import check_caches_hold_no_tracer, mutables, named_changes, reachable, snapshot
from ...inspect.trees import arrays_of, changed, clone_as, is_under, map_arrays
from ...kinds.mutable import MutableSuite
from ...kinds.pytree import PytreeSuite
from ...kinds.suite import Suite
from ...report import ADVICE, Fault, Law, check, doing, or_else
from ...trace.jaxprs import NEEDS_VALUES, constant_draws, lost_updates
from ...trace.programs import shapes_of
from ...values.closeness import check_close, hint_of_order

LAW = Law(
    number="P12",
    name="purity",
    statement="A call leaves no tracer behind, changes nothing, prints nothing, throws no update away, and draws from a key that it is given.",
    protects="Calls with side effects: a tracer that stays behind on `self` or in a global (`UnexpectedTracerError`), or an update that is lost after tracing.",
    mistake="The call appends to a list, or caches on self, in cached_property, in lru_cache or in a module-level dict; a print or a constant key is left over.",
    fix="Return what has to be remembered; compute tables in the constructor as buffers, or anew in each call.",
    rests_on=("test_p03_round_trip",),
)
CHECKS = Checks(LAW)
NOT_IN_PLACE = (
    "`x.at[i].set(y)` and `eqx.error_if(x, ...)` change nothing in place: go on with what they return"
)


@CHECKS.register(CALLED)
def test_p12_a_call_changes_no_globals(subject: Suite) -> None:
    first_call(subject).check("call")
    cases = [(f"call {seed + 1}", subject.make(seed), subject.arguments(seed)) for seed in range(3)]
    before: dict[str, Any] = {}
    for label, instance, arguments in cases:
        subject.apply(instance, *arguments)
        after = globals_of(instance)
        wrong = changed(before, after)
        message = f"{label} on a fresh instance changed {', '.join(wrong)}"
        hint = "a counter in the module, or a cache with an entry for each instance"
        # The first call may fill a cache that depends on the configuration alone.
        check(not wrong or label == "call 1", ", ".join(wrong), message, hint)
        before = after


@CHECKS.register(CALLED)
def test_p12_the_call_has_no_side_effects(subject: Suite) -> None:
    effects = {type(effect).__name__ for effect in subject.traced_call().effects}
    hint = "`jax.debug.print`, `jax.debug.callback` or `io_callback` in the call"
    check(not effects, "call", f"the call has side effects: {', '.join(sorted(effects))}", hint)


@CHECKS.register(CALLED)
def test_p12_throws_no_update_away(subject: Suite) -> None:
    wrong = lost_updates(subject.traced_call().jaxpr)
    check(not wrong, "call", f"nothing uses the result of {', '.join(wrong)}", NOT_IN_PLACE)


@CHECKS.register()
def test_p12_leaves_numpy_arguments_alone(subject: Suite) -> None:
    instance, arguments = subject.example()
    given = [
        v if subject.is_updated_by_use(v) else map_arrays(lambda v: v if is_key(v) else np.array(v), v)
        for v in arguments
    ]
    arrays = [v for v in arrays_of(given) if isinstance(v, np.ndarray)]
    before = [snapshot(v) for v in arrays]
    with contextlib.suppress(Exception):  # it may refuse NumPy arrays
        subject.apply(instance, *given)
    message = "the call changed an array of its caller in place"
    check([snapshot(v) for v in arrays] == before, "call", message, "`x += y`: NumPy arrays change in place")


@CHECKS.register()
def test_p12_a_cold_call_inside_jit_leaves_nothing_behind(subject: PytreeSuite) -> None:
    instance, arguments = subject.example()
    name = type(instance).__name__
    clear_caches(instance)
    before = snapshot(instance, identity=True)
    # What converts to values of the host is not for programs.
    severity = ADVICE if first_call(subject).gives_host_values else ""
    with doing(name, "a call inside jit, to which the instance is no argument,", severity=severity):
        shapes_of(lambda *values: subject.apply(instance, *values), arguments)
    for place, value in reachable(instance, name):
        check(not isinstance(value, Tracer), place, "a tracer was left behind by a call inside jit")
    check_unchanged(instance, before, "a call inside jit")
    with doing(name, "the eager call after a first call inside a jit"):
        eager = subject.apply(instance, *arguments)
        got = subject.compiled_use()(instance, *arguments)
        check_close(
            name, "after a first call inside jit, jit gives {}, eager {}", got, eager, hint_of_order(instance)
        )
    check_unchanged(instance, before, "an eager call")


def check_unchanged(instance: Any, before: Any, use: str) -> None:
    """Check that an instance equals its snapshot."""
    after = snapshot(instance, identity=True)
    message = f"{use} changed what the instance holds{named_changes(before, after)}"
    check(after == before, type(instance).__name__, message)


@CHECKS.register()
def test_p12_a_call_updates_what_is_declared_and_nothing_else(subject: MutableSuite) -> None:
    instance, arguments = subject.example()
    (static, _), before = subject.form_of(instance), subject.snapshot_of(instance)
    subject.call(instance, *arguments)
    moved = changed(before, subject.snapshot_of(instance))
    here = subject.parts_of(instance)
    for path in moved:
        free = path in here and subject.may_update(path, here[path])
        check(free, path, "the call updated it, and it is not among `updates`")
    for path in subject.updates:
        message = "declared among `updates`, and the call left it as it was"
        hint = "an update on a copy: inside of jax.jit, or of a merged module"
        check(any(is_under(name, path) for name in moved), path, message, hint)
    message = f"the call changed the {subject.structure_noun}: it stored an attribute"
    check(subject.form_of(instance)[0] == static, type(instance).__name__, message)


@CHECKS.register()
def test_p12_a_call_keeps_its_variables(subject: MutableSuite) -> None:
    instance, arguments = subject.example()
    check_parts_kept(subject, instance, "the call", lambda: subject.call(instance, *arguments))


def check_parts_kept(subject: MutableSuite, instance: Any, what: str, use: Callable[[], Any]) -> None:
    """Check that a use leaves each Variable in its place, whatever value the Variable is given."""
    before = subject.parts_of(instance)
    use()
    after = subject.parts_of(instance)
    for path in before.keys() & after.keys():
        message = f"{what} put another Variable in its place"
        hint = "`self.variable[...] = value`: who holds the first one sees no update"
        check(after[path] is before[path] or is_array(before[path]), path, message, hint)


@CHECKS.register(CALLED)
def test_p12_a_cold_call_leaves_no_tracer_behind(subject: MutableSuite) -> None:
    for place in subject.left_by_first_call():
        message = "a tracer was left behind by a first call under jit"
        raise Fault(place, message, "a value of the call that was kept")
    instance, arguments = subject.example()
    clear_caches(instance)  # which the first eager call has filled
    trace_of_call(subject, instance, arguments)
    with doing("call", "the eager call after one under jit"):
        subject.call(instance, *arguments)


@CHECKS.register(rests_on=("test_p12_a_call_changes_no_globals",))
def test_p12_a_cold_call_inside_jit_leaves_no_tracer_in_globals(subject: Suite) -> None:
    instance, arguments = subject.example()
    fresh: Any = twin_class(type(instance))
    with contextlib.suppress(Exception):  # other laws fail on it
        # Before any call, no cache of the module holds anything.
        cold = clone_as(fresh, instance)
        shapes_of(lambda *values: subject.run(cold, *values), arguments)
    functions = (inspect.unwrap(value) for value in vars(fresh).values() if callable(value))
    module_globals: dict[str, Any] = next((f.__globals__ for f in functions if hasattr(f, "__globals__")), {})
    check_caches_hold_no_tracer([*module_globals.items(), *vars(fresh).items()])


@CHECKS.register()
def test_p12_reading_properties_changes_nothing(subject: Suite) -> None:
    instance = subject.make(0)
    before = subject.remembered(instance), subject.snapshot_of(instance)
    for place, node in subject.own_nodes(instance):
        for name in own_properties(type(node)):
            with contextlib.suppress(Exception), warnings.catch_warnings(action="ignore"):
                read(node, name)
            same = (subject.remembered(instance), subject.snapshot_of(instance)) == before
            message = f"reading this property changed what the {subject.instance_noun} holds"
            check(same, f"{place}.{name}".lstrip("."), message, "functools.cached_property: write `property`")


@CHECKS.register()
def test_p12_draws_use_a_key_that_is_given(subject: Suite) -> None:
    instance, arguments = subject.cached_example()
    jaxpr = subject.traced_call().jaxpr
    wrong = list(constant_draws(jaxpr, set(jaxpr.invars)))
    need(not wrong or not follows_an_int(subject, instance, arguments), "a static value may be the seed")
    hint = "a constant key, as `jax.random.key(0)`: the same noise in every call"
    check(not wrong, "call", f"{len(wrong)} of its draws depend on nothing that it is given", hint)


@or_else(True, AttributeError)  # a path through a list
def follows_an_int(subject: Suite, instance: Any, arguments: Any) -> bool:
    """Whether a static integer, such as a seed, decides what the call computes."""
    before = call_text(subject, instance, arguments)
    numbers = [(path, value) for path, value in subject.statics_of(instance) if type(value) is int]
    edits = (subject.with_static(instance, path, value + 1) for path, value in numbers)
    return any(call_text(subject, edited, arguments) != before for edited in edits)


@CHECKS.register()
def test_p12_calls_do_not_depend_on_earlier_calls(subject: Suite) -> None:
    instance, arguments = subject.example()
    arrays_given = [value for _, value in mutables(arguments)]
    before = [snapshot(value, identity=True) for value in arrays_given]
    subject.call(subject.copied(instance), *arguments)
    same = [snapshot(value, identity=True) for value in arrays_given] == before
    check(same, "call", "the call changed its arguments in place")
    first = subject.run(instance, *subject.arguments(0))
    subject.run(instance, *subject.arguments(1))
    subject.run(subject.make(1), *subject.arguments(1))
    again = subject.run(instance, *subject.arguments(0))
    check_close("call", "the same call gave {}, and later {}", first, again)


def read(node: Any, name: str) -> Any:
    """Read an attribute, and compile nothing unless a property needs values."""
    try:
        return jax.eval_shape(lambda: arrays_of(getattr(node, name)))
    except NEEDS_VALUES:
        return getattr(node, name)
