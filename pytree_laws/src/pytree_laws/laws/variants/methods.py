"""Laws of the call, applied to each method and property beside the call.

The tests have the numbers of their laws. All methods share a few programs, since compiling is costly.
"""

import contextlib
import functools
import inspect
import itertools
from collections.abc import Collection, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.core import Tracer

from ...declare.methods import Method, is_of_class
from ...discover.method_programs import (
    MEMBERS,
    abstractly,
    arrays_given,
    compiled_methods,
    in_wide_dtypes,
    names_of,
    parts_of_result,
    program_of,
    the_call,
    trace_of,
    traceable,
    traced_in,
    traced_methods,
    traces_of,
    usable_methods,
)
from ...discover.method_uses import Use, gives_an_instance, output_of_use, updated_by
from ...discover.traced_uses import traced_uses
from ...engine.applicability import ABSENT, DTYPES, METHODS, PLATFORMS, need
from ...engine.needed_values import severity_of_made, severity_of_needing_values
from ...engine.registry import Checks
from ...errors import refuses_by_itself
from ...inspect.arrays import has_dtype, is_fixed_inexact, is_inexact, real_dtype
from ...inspect.classes import documents_float32
from ...inspect.global_state import clear_caches, globals_of
from ...inspect.mutations import computes_without_storing
from ...inspect.references import mutables, named_changes, reachable, snapshot
from ...inspect.static_values import said_in_bfloat16
from ...inspect.trees import arrays_of, bfloat16, changed, instances_in, is_under, under_any
from ...kinds.mutable import MutableSuite
from ...kinds.pytree import PytreeSuite
from ...kinds.suite import Suite
from ...report import ADVICE, ANY_ERROR, FAULT, Fault, check, check_each, doing
from ...trace.dependencies import inputs_reaching, is_constant
from ...trace.jaxprs import compiled_anew, lacks_dtype, lost_updates
from ...trace.programs import shapes_of
from ...trace.wide_results import FIXED_DTYPE, is_wide_alone, unless_promised, widened_in
from ...values.closeness import check_close, close, hint_of_order, in_64_bits
from ...values.rounding import is_rounding
from ..effects.p12_purity import check_parts_kept
from ..transforms.p07_outputs import check_fixed_dtypes
from ..transforms.p18_backend import check_lowers

CHECKS = Checks()

ANEW = "`jax.jit` of a lambda, a partial or a bound method that the call makes: compile a function of the module, and give it the instance as an argument"
VALUES = (
    "values that decide a branch, a shape or an assertion: `jnp.where`; what needs them on purpose says so: `Method(..., traced=False)`, "
    'and in a spec `[test]` with `skip = ["p07_methods_can_be_traced: the reason"]`'
)


@CHECKS.register()
def test_p06_a_call_compiles_nothing_anew(subject: Suite) -> None:
    jaxprs = {method: traces_of(subject)[method.name].jaxpr for method in traceable(subject)}
    if subject.called():
        # Of the instance of the second trace: what another one is made with is new in it, as P6 says of instances.
        jaxprs[the_call(subject)] = trace_of(subject, the_call(subject)).jaxpr
    need(jaxprs, "the class is not called, and has no method")
    for method, first in jaxprs.items():
        for name in compiled_anew(first, trace_of(subject, method).jaxpr):
            check(False, method.name, f"each use traces and compiles `{name}` anew", ANEW)


@CHECKS.register(METHODS, of_dtypes=True)
def test_p07_methods_have_fixed_dtypes_with_64_bits_as_well(subject: Suite) -> None:
    for method in traced_methods(subject, declared=True):
        check_fixed_dtypes(subject, method, method.returns, f"{method.name}, output")


@CHECKS.register(METHODS)
def test_p07_methods_can_be_traced(subject: Suite) -> None:
    for method in usable_methods(subject, declared=True):
        if not method.needs_values and method.name not in traces_of(subject):
            try:
                trace_of(subject, method)
            except ANY_ERROR as error:
                severity = _severity_under_jit(subject, method, error)
                with doing(method.name, "under jax.jit it", VALUES, severity=severity):
                    raise


def _severity_under_jit(subject: Suite, method: Method, error: Exception) -> str:
    """Return the severity of a method that needs values: that of the constructor if it makes a class."""
    instance, arguments = subject.spare(), method.arguments(0)
    cls, result = type(instance), method.use(instance, *arguments)
    if is_of_class(cls, method.name) and instances_in(result, cls):
        return severity_of_needing_values(arrays_of(arguments))
    if isinstance(result, bool | str):
        return ADVICE
    return severity_of_made(error, (instance, arguments), lambda: result) or FAULT


@CHECKS.register(MEMBERS, ABSENT)
def test_p07_methods_work_without_what_is_optional(subject: PytreeSuite) -> None:
    hint = "a part that may be None is asked for (`is None`) before it is used"
    for change in subject.absent:
        instance = subject.built_abstractly({**subject.inputs(0), **change})
        for method in traced_methods(subject):
            with doing(method.name, f"with {dict(change)} it", hint):
                abstractly(subject, instance, method, method.arguments(0))


@CHECKS.register(MEMBERS)
def test_p07_methods_jit_equals_eager(subject: Suite) -> None:
    methods, run = traced_methods(subject), compiled_methods(subject)
    for seed in (0, 1):
        instance = subject.cached_instance(seed)
        pairs = [(method, method.arguments(seed)) for method in methods]
        eager = [parts_of_result(subject, instance, *pair) for pair in pairs]
        with doing(names_of(methods), "one of these under jax.jit"):
            got = run(instance, [method.arguments(seed) for method in methods])
        for pair, value, other in zip(pairs, got, eager):
            if close(value, other) or not _rounds_so_far(subject, instance, pair, value, other):
                check_close(pair[0].name, "jit gives {}, eager {}", value, other, hint_of_order(instance))


def _rounds_so_far(subject: Suite, instance: Any, pair: tuple[Method, Any], got: Any, wanted: Any) -> bool:
    """Whether rounding of the inputs moves the results of a method as far as they differ."""
    (method, arguments), (arrays, back) = pair, subject.to_arrays(instance)

    def run(given: Any) -> Any:
        return parts_of_result(subject, back(given[0]), method, given[1])

    return is_rounding(got, wanted, run, (arrays, arguments))


@CHECKS.register(MEMBERS, of_dtypes=True)
def test_p07_methods_in_bfloat16_give_bfloat16(subject: Suite) -> None:
    methods, instance = traced_methods(subject), subject.cached_instance()
    arguments = {method.name: method.arguments(0) for method in methods}
    need(has_one_dtype(subject, methods, (instance, arguments)), "the class fixes a dtype")
    for method in methods:
        if not method.returns and gives_an_instance(subject, method, instance, arguments[method.name]):
            continue  # whose constructor decides; P11 tells of it
        fixed = set[int]() if method.returns else _fixed_outputs(subject, method)
        for traced in traced_uses(subject)[method.name]:
            closed, given = traced.trace and traced.trace.jaxpr, traced.use.given
            if closed is None or _is_of_numbers(closed, given, type(instance), method.name):
                continue
            if not traced.is_likely:
                severity = "" if traced.use.is_plain and method.returns else ADVICE
                _check_in_bfloat16(subject, method, traced.use, fixed, severity)


def _is_of_numbers(closed: Any, given: Any, cls: type, method: str) -> bool:
    """Whether a method reads no float array, and takes Python numbers or no floats at all."""
    pairs = zip(closed.jaxpr.invars, inputs_reaching(closed.jaxpr), strict=True)
    reaching = [reaches for v, reaches in pairs if jnp.issubdtype(v.aval.dtype, jnp.inexact)]
    if not reaching or any(reaching) or arrays_of(given):
        return not reaching
    taken = inspect.signature(getattr(cls, method)).parameters if callable(getattr(cls, method, None)) else ()
    return any(name != "self" for name in taken)


def _fixed_outputs(subject: Suite, method: Method) -> set[int]:
    """Return the positions of floats that stay narrow in 64 bits, and whose dtype no declaration states."""
    with in_64_bits(), jax.numpy_dtype_promotion("standard"):
        try:
            outputs, are_wide = in_wide_dtypes(subject, method)
        except ANY_ERROR:
            return {*range(len(traces_of(subject)[method.name].out_avals))}
    # What counts is in no dtype of floats, and may be a share of what is counted where a flag asks for it.
    floats = {i: out.dtype for i, out in enumerate(outputs) if jnp.issubdtype(out.dtype, jnp.inexact)}
    return {i for i, dtype in floats.items() if not (are_wide and dtype == jnp.dtype("float64"))}


def _check_in_bfloat16(
    subject: Suite, method: Method, use: Use, fixed: Collection[int], severity: str
) -> None:
    """Check that a use in bfloat16 returns 16 bits. Uses other than the example may be refused."""
    cls = type(subject.cached_instance())
    with doing(use.name, "in bfloat16 it", FIXED_DTYPE, severity=severity):
        try:
            run, given = arrays_given(subject, use._replace(instance=said_in_bfloat16(use.instance)))
            narrow = bfloat16(given)
            closed = jax.make_jaxpr(run)(*narrow)
        except ANY_ERROR as error:
            if method.found or lacks_dtype(error) or (severity and refuses_by_itself(error, cls)):
                return
            raise
    for i, out in enumerate(closed.out_avals):
        right = out.weak_type or not jnp.issubdtype(out.dtype, jnp.floating) or out.dtype == jnp.bfloat16
        message = f"with bfloat16 leaves and arguments it is {out.dtype}"
        is_free = i in fixed and not is_constant(closed, i)
        is_free = is_free or (out.dtype == jnp.float32 and documents_float32(cls))
        is_right = right or is_free or is_wide_alone(run, narrow, i)
        if not is_right:
            line = f"{unless_promised(subject)}{widened_in(run, narrow, i)}"
            where = f"{use.name}, {output_of_use(subject, use, i)}"
            check(False, where, message, f"{FIXED_DTYPE}{line}", severity=ADVICE)


@CHECKS.register(METHODS, DTYPES)
def test_p07_methods_compute_in_each_dtype(subject: Suite) -> None:
    for dtype, method in itertools.product(subject.dtypes, traced_methods(subject, declared=True)):
        with doing(method.name, f"in {dtype} it"):
            usual, got = (traces_of(subject)[method.name], traced_in(subject, method, dtype))
        for i, (before, now) in enumerate(zip(usual.out_avals, got.out_avals)):
            same = now.dtype == jnp.dtype(dtype) or not has_dtype(before, "float")
            check(same, f"{method.name}, output {i}", f"in {dtype} it is {now.dtype}", FIXED_DTYPE)


def has_one_dtype(suite: Any, methods: Sequence[Method], tree: Any) -> bool:
    """Whether all floats have the default dtype, and no declaration fixes another."""
    outputs = [out for method in methods for out in method.returns]
    declared = [leaf.dtype for leaf in suite.manifest() if not leaf.is_tree]
    declared += [str(out.dtype) for out in (*outputs, *suite.returns)]
    dtypes = {v.dtype for v in jax.tree.leaves(tree) if is_inexact(v)}
    return not any(map(is_fixed_inexact, declared)) and dtypes == {real_dtype("float")}


@CHECKS.register(MEMBERS)
def test_p12_methods_leave_the_instance_alone(subject: Suite) -> None:
    check_each(
        functools.partial(check_leaves_alone, subject), ((method,) for method in usable_methods(subject))
    )


def check_leaves_alone(subject: Suite, method: Method) -> None:
    """Check that a method leaves the instance alone, even if its first use is in a compiled program."""
    hint = "a value that is kept on `self`, or in a `cached_property`"
    instance, arguments = subject.make(0), method.arguments(0)
    clear_caches(instance)
    before = subject.remembered(instance)
    is_whole = not subject.is_mutable
    with contextlib.suppress(Exception):  # it needs values
        abstractly(subject, instance, method, arguments)
    with contextlib.suppress(Exception):  # the instance, closed over, keeps what it caches
        use_closed_over(method, instance, arguments)
        is_whole = True
    for place, value in reachable(instance, method.name):
        if isinstance(value, Tracer):
            message = "a tracer was left behind by a use inside jit"
            raise Fault(place, message, hint, severity=severity_of_change(subject, method))
    if not is_whole:  # an `nnx.jit` within leaves it in parts
        instance = subject.make(0)
        before = subject.remembered(instance)  # of this one: each may make its optimiser anew
    method.use(instance, *arguments)
    if (after := subject.remembered(instance)) != before:
        message = f"it changed what the instance holds{named_changes(before, after)}"
        raise Fault(method.name, message, hint, severity=severity_of_change(subject, method))


def severity_of_change(subject: Suite, method: Method) -> str:
    """Return the severity of a change by a method: advice if the method returns nothing or the instance."""
    instance = subject.make(0)
    result = method.use(instance, *method.arguments(0))
    return ADVICE if result is None or result is instance else FAULT


def use_closed_over(method: Method, instance: Any, arguments: Sequence[Any]) -> None:
    shapes_of(lambda *values: arrays_of(method.use(instance, *values)), arguments)


@CHECKS.register(METHODS, severity=ADVICE)
def test_p12_methods_update_what_they_declare_and_nothing_else(subject: MutableSuite) -> None:
    for method in traced_methods(subject, declared=True):
        updated, parts = updated_by(subject, method), subject.parts_of(subject.cached_instance())
        for path in updated if method.returns or method.updates else ():
            message = f"it updates `{path}`"
            hint = f"`updates = ({path!r},)` of the Method says that this is so on purpose"
            is_free = under_any(path, method.updates) or subject.decides_itself(path, parts.get(path))
            # Who says what it updates, says that of all.
            check(is_free, method.name, message, hint, severity=FAULT if method.updates else ADVICE)
        for path in method.updates:
            message = f"it declares that it updates `{path}`, and leaves it as it was"
            hint = f"an assignment of what it held: `self.{path}[...]` of a value that follows from it, as `+ 1`; or an update on a copy"
            is_updated = any(is_under(name, path) for name in updated)
            check(is_updated, method.name, message, hint, severity=FAULT)


@CHECKS.register(METHODS, severity=ADVICE)
def test_p12_statistics_are_all_updated(subject: MutableSuite) -> None:
    kept, cls = subject.statistics_of(subject.cached_instance()), type(subject.cached_instance())
    by_methods = (path for method in usable_methods(subject) for path in updated_by(subject, method))
    moved = {*subject.updated(), *by_methods}
    idle = [path for path in kept if not under_any(path, sorted(moved))]
    idle = [path for path in idle if computes_without_storing(cls, path)]
    need(len(idle) != len(kept), "it has no statistics that are updated")
    for path in idle:
        others = ", ".join(f"`{other}`" for other in kept if other not in idle)
        hint = f"`self.{path}[...] = {path}`: a local name that was computed, and is not stored"
        check(False, path, f"neither the call nor a method updates it, as they do {others}", hint)


@CHECKS.register(METHODS)
def test_p12_methods_keep_their_variables(subject: MutableSuite) -> None:
    for method in usable_methods(subject, declared=True):
        instance = subject.make(0)
        use = functools.partial(method.use, instance, *method.arguments(0))
        check_parts_kept(subject, instance, f"`{method.name}`", use)


@CHECKS.register(MEMBERS)
def test_p12_methods_leave_their_arguments_alone(subject: Suite) -> None:
    for method in usable_methods(subject):
        arguments = method.arguments(0)
        mutable_values = [value for _, value in mutables(arguments)]
        before = [snapshot(value, identity=True) for value in mutable_values]
        method.use(subject.spare(), *arguments)
        same = [snapshot(value, identity=True) for value in mutable_values] == before
        check(same, method.name, "it changed its arguments in place")


@CHECKS.register(MEMBERS, rests_on=("test_p12_a_call_changes_no_globals",))
def test_p12_methods_change_no_globals(subject: Suite) -> None:
    for method in usable_methods(subject):
        before = globals_of(subject.cached_instance())
        method.use(subject.spare(1), *method.arguments(1))
        wrong = changed(before, globals_of(subject.cached_instance()))
        message = f"on a fresh instance it changed {', '.join(wrong)}"
        check(not wrong, method.name, message, "a counter, or a cache, in the module")


@CHECKS.register(METHODS)
def test_p12_methods_have_no_side_effects(subject: Suite) -> None:
    for method in traced_methods(subject, declared=True):
        closed = traces_of(subject)[method.name]
        names = ", ".join(sorted(type(effect).__name__ for effect in closed.effects))
        hint = "`jax.debug.print`, `jax.debug.callback` or `io_callback`"
        check(not names, method.name, f"it has side effects: {names}", hint)
        wrong = lost_updates(closed.jaxpr)
        hint = "`x.at[i].set(y)` changes nothing in place: go on with its result"
        check(not wrong, method.name, f"nothing uses the result of {', '.join(wrong)}", hint)


@CHECKS.register(PLATFORMS, METHODS)
def test_p18_methods_lower_for_every_platform(subject: Suite) -> None:
    for method in traced_methods(subject, declared=True):
        program = program_of(subject, method, subject.cached_instance(), method.arguments(0))
        check_lowers(subject, method.name, *program)
