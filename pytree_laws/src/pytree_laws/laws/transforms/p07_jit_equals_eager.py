"""P7: the call, compiled and not."""

import functools
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...discover.evaluation import of_one_sign, severity_of_values
from ...engine.applicability import ABSENT, CALLED, Condition, need, not_applicable, of_class
from ...engine.registry import Checks
from ...errors import is_of_promotion, refuses_by_itself
from ...inspect.arrays import is_floating, on_device, stays_wide
from ...inspect.classes import (
    documents_float32,
    documents_nan,
    is_equinox,
    is_for_64_bits,
    names_narrow_dtypes,
)
from ...inspect.trees import (
    arrays_of,
    avals,
    bfloat16,
    combine,
    named_leaves,
    numbers_of,
    output_name,
    partition,
)
from ...kinds.mutable import MutableSuite
from ...kinds.pytree import PytreeSuite
from ...kinds.slopes import is_mask
from ...kinds.suite import Suite, filled
from ...patches.fast_compile import quick_options
from ...report import ADVICE, ANY_ERROR, FAULT, Fault, Law, check, doing, or_else
from ...trace.equation_steps import line_that_makes
from ...trace.jaxprs import NEEDS_VALUES, is_of_flax_layer, is_of_set_state, lacks_dtype
from ...trace.programs import Compiled, shapes_of, with_static_modules
from ...trace.wide_results import FIXED_DTYPE, is_wide_alone, unless_promised, widened_in
from ...values.closeness import check_close, check_overflow, close, hint_of_order
from ...values.edge_values import has_an_edge_at_zero, has_nan
from ...values.rounding import rounds_so_far

OUTSIDE = "example values that the class is not for, as a negative variance: `inputs` and `arguments` choose others, in a spec `[test]` with `values`"
NAN = "0 / 0, of a deviation or a norm (add an epsilon), or of a softmax over nothing but -inf (a finite number there)"
NO_ZEROS = "; or an argument that is never 0: a docstring of the class says where it gives NaN, or the example has one sign (`sample(..., positive=True)`, in a spec `values`)"
NAN_IS_MEANT = "a docstring of the class says where it gives NaN"

LAW = Law(
    number="P7",
    name="jit equals eager",
    statement="The call gives the same values and dtypes with and without jit, as declared, leaves the instance alone, and computes in the dtype that it is given, also on the way; arguments of zeros or ones, or a mask of nothing, give no NaN, and large ones overflow nowhere on the way.",
    protects="A call that fails or gives a different result under `jax.jit`, as Python control flow on traced values does; one that returns float32 where it is given bfloat16; one that gives NaN for zeros, ones or large numbers.",
    mistake="The call branches on values, keeps state on self, mixes dtypes, or makes an array with a fixed or default dtype.",
    fix="Return new state instead of storing it; make arrays with `dtype=x.dtype`; broadcast explicitly.",
    rests_on=("test_p02_leaves_are_", "test_p03_round_trip", "test_p05_aux", "test_p12_calls_do_not_depend"),
)
CHECKS = Checks(LAW)
NO_BROADCASTS = Condition("the call may broadcast ranks", lambda suite: not suite.broadcasts, "broadcasts")


@CHECKS.register(ABSENT, CALLED)
def test_p07_works_without_what_is_optional(subject: PytreeSuite) -> None:
    hint = "a part that may be None is asked for (`is None`) before it is used"
    for change in subject.absent:
        with doing(f"the call with {dict(change)}", "it", hint):
            instance = subject.built_abstractly({**subject.inputs(0), **change})
            Compiled(subject.use, subject.mixed).shapes(instance, *subject.arguments(0))


@CHECKS.register(rests_on=("test_p12_a_cold_call_inside",))
def test_p07_jit_equals_eager(subject: Suite) -> None:
    check_compiled(subject, subject.compiled_ways()[0])


@CHECKS.register()
def test_p07_jax_jit_through_split_and_merge_equals_eager(subject: MutableSuite) -> None:
    check_compiled(subject, subject.compiled_ways()[1])


def check_compiled(subject: Suite, compiled: Any) -> None:
    """Check that the compiled and the eager call agree, and that neither changes its inputs."""
    subject.need_call()
    way = compiled.name
    for seed in (0, 1):
        instance = subject.make(seed)
        name, before = type(instance).__name__, subject.snapshot_of(instance)
        eager = subject.run(instance, *subject.arguments(seed))
        check(subject.snapshot_of(instance) == before, name, "the eager call changed the instance")
        with doing("call", f"the call under {way}"):
            got = compiled(instance, *subject.arguments(seed))
        outputs = subject.output_of(got), subject.output_of(eager)
        if close(*outputs) or not rounds_so_far(subject, instance, subject.arguments(seed), got, eager):
            check_close("call", f"{way} gives {{}}, eager {{}}", *outputs, hint_of_order(instance))
        check_states(subject, got, eager, way)
        check(subject.snapshot_of(instance) == before, name, "the compiled call changed the instance")


def check_states(subject: Suite, got: Any, eager: Any, way: str) -> None:
    """Check that the compiled and the eager call leave the same state."""
    if subject.is_mutable:
        for path, value in eager[1].items():
            check(path in got[1], path, f"after {way} it is not there, and after an eager call it is")
            check_close(path, f"after {way} it is {{}}, after an eager call {{}}", got[1][path], value)


@CHECKS.register()
def test_p07_equal_arguments_give_no_nan(subject: Suite) -> None:
    instance, arguments = subject.cached_example()
    need(not documents_nan(type(instance)), NAN_IS_MEANT)
    for i, result in enumerate(results_of(subject, instance, arguments)):
        check(not has_nan(result), f"output {i}", "the example gives NaN", OUTSIDE, severity=ADVICE)
    for fill in (0, 1):
        message = f"with each element of the arguments {fill} it has NaN"
        for i, result in enumerate(results_of(subject, instance, filled(subject, arguments, fill))):
            if has_nan(result):
                is_degenerate = fill == 0 and are_zeros_degenerate(subject, instance, arguments, i)
                severity = ADVICE if is_degenerate else severity_of_values(subject)
                line = _line_of_nan(subject, instance, filled(subject, arguments, fill))
                hint = f"{NAN}{NO_ZEROS * (fill == 0)}"
                raise Fault(f"output {i}", message, hint, severity=severity, made_at=line)
    for fill in (False, True) if _masks(subject, arguments) else ():
        message = f"with each element of its masks {fill} it has NaN"
        for i, result in enumerate(results_of(subject, instance, _masked(subject, arguments, fill=fill))):
            check(not has_nan(result), f"output {i}", message, NAN, severity=ADVICE)


@or_else("")  # it takes what cannot be traced
def _line_of_nan(subject: Suite, instance: Any, arguments: Sequence[Any]) -> str:
    """Return the line of the class that makes the first NaN of a call, or an empty text."""
    call, value = subject.pure_call(instance)
    static, arrays = partition((value, arguments))
    run = functools.partial(numbers_of_call, subject, call, static)
    return line_that_makes(has_nan, jax.make_jaxpr(run)(arrays), arrays)


def _masks(subject: Suite, arguments: Sequence[Any]) -> set[int]:
    """Return the positions of arrays of bools, without the carry."""
    return {i for i, value in enumerate(arguments) if is_mask(value) and i != subject.carry}


def _masked(subject: Suite, arguments: Sequence[Any], *, fill: bool) -> list[Any]:
    places = _masks(subject, arguments)
    return [on_device(np.full_like(v, fill)) if i in places else v for i, v in enumerate(arguments)]


def are_zeros_degenerate(subject: Suite, instance: Any, arguments: Any, place: int) -> bool:
    """Whether a NaN at arguments of zeros is no fault of the call.

    The call may take numbers of one sign, or have an edge or a pole at zero. One zero among other numbers may
    do no harm, or be a pole of one argument, such as a divisor.

    A vector of zeros has no direction, and points that are all equal make no triangle.
    """

    def output_at(fill: float) -> Sequence[Any]:
        return results_of(subject, instance, filled(subject, arguments, fill))[place : place + 1]

    if of_one_sign(arguments) or has_an_edge_at_zero(output_at):
        return True
    zeros = filled(subject, arguments, 0)
    floats = [i for i, value in enumerate(arguments) if zeros[i] is not value and is_floating(value)]

    def output_with_one(fill: float, places: Sequence[int]) -> Sequence[Any]:
        given = [with_first(v, fill) if i in places else v for i, v in enumerate(arguments)]
        return results_of(subject, instance, given)[place : place + 1]

    with_zero = output_with_one(0, floats)
    if with_zero and not has_nan(with_zero[0]):
        return True
    return any(has_an_edge_at_zero(functools.partial(output_with_one, places=[i])) for i in floats)


def with_first(leaf: Any, number: float) -> Any:
    """Return the array with a number as its first element."""
    flat = np.array(leaf).reshape(-1)
    flat[:1] = number
    return jnp.asarray(flat.reshape(leaf.shape))


@or_else(())  # a check in the call may refuse them
def results_of(subject: Suite, instance: Any, arguments: Any) -> Sequence[Any]:
    """Return the arrays of the compiled call, or () if the call refuses the arguments."""
    return arrays_of(subject.output_of(subject.compiled_ways()[0](instance, *arguments)))


# Nothing says that a class is for numbers as large.
@CHECKS.register(severity=ADVICE)
def test_p07_large_arguments_do_not_overflow_on_the_way(subject: Suite) -> None:
    instance, arguments = subject.cached_example()
    call, value = subject.pure_call(instance)
    for fill in (100, -100, 300, -300):
        given = filled(subject, arguments, fill)
        if not (results := results_of(subject, instance, given)):
            continue
        message = f"with each element of the arguments {fill}"
        static, arrays = partition((value, given))
        check_overflow(message, results, functools.partial(numbers_of_call, subject, call, static), arrays)


def numbers_of_call(subject: Suite, call: Callable[..., Any], static: Any, arrays: Any) -> list[Any]:
    value, arguments = combine(static, arrays)
    return numbers_of(subject.output_of(call(value, *arguments)))


@CHECKS.register(of_class("the class is no Equinox Module", is_equinox))
def test_p07_filter_jit_equals_eager(subject: PytreeSuite) -> None:
    instance, arguments = subject.example()
    equinox: Any = sys.modules.get("equinox")
    eager = subject.apply(instance, *arguments)
    # The options are handed on to jax.jit.
    run = equinox.filter_jit(lambda *a: subject.apply(*a), compiler_options=quick_options())
    with doing("call", "the call under `eqx.filter_jit`"):
        got = run(instance, *arguments)
    check_close("call", "filter_jit gives {}, eager {}", got, eager, hint_of_order(instance))


@CHECKS.register(severity=ADVICE)
def test_p07_mixes_no_precisions(subject: Suite) -> None:
    instance, arguments = subject.cached_example()
    need(subject.strict, "the call may promote dtypes")
    hint = "operands of two dtypes: cast them explicitly"
    strict = jax.config.values["jax_numpy_dtype_promotion"] == "strict"
    call, value = subject.pure_call(instance)
    with doing("call", "the call under strict promotion", hint), jax.numpy_dtype_promotion("strict"):
        try:
            shapes_of(call, arguments, value)
        except ValueError as error:
            # An integer may meet a float, but where the tests forbid that everywhere.
            may_meet = any(kind in str(error) for kind in ("int", "bool")) or of_one_precision(error)
            if strict or not is_of_promotion(error) or not may_meet:
                raise


def of_one_precision(error: Exception) -> bool:
    """Whether an error is about dtypes of one precision, such as float32 and complex64."""
    names = re.findall(r"\b(?:b?float|complex)\d+", str(error).partition(")")[0])
    return len({jnp.finfo(name).dtype for name in names}) == 1


@CHECKS.register(NO_BROADCASTS, severity=ADVICE)
def test_p07_broadcasts_no_ranks(subject: Suite) -> None:
    instance, arguments = subject.cached_example()
    hint = "operands of two ranks: write `x[None]`, or `broadcasts = True`"
    call, value = subject.pure_call(instance)
    with doing("call", "the call", hint), jax.numpy_rank_promotion("raise"):
        shapes_of(call, arguments, value)


def severity_of_narrow(subject: Suite) -> str:
    """Return the severity of a class that fails in bfloat16.

    A library that asks for 64 bits, or never names a dtype of 16 bits, gets advice.
    """
    cls = type(subject.cached_instance())
    is_wide = not subject.declares_arrays() and is_for_64_bits(cls)
    is_unpromised = subject.severity == FAULT and not names_narrow_dtypes(cls)
    return ADVICE if is_wide or is_unpromised else FAULT


@CHECKS.register(of_dtypes=True)
def test_p07_bfloat16_in_bfloat16_out(subject: Suite) -> None:
    instance, arguments = subject.cached_example()
    need(subject.computes_in_one_dtype(instance, arguments), "the class fixes a dtype")
    if not any(map(is_floating, arrays_of((subject.to_tree(instance)[0], arguments)))):
        not_applicable("it holds no floats, and is given none")
    small, narrow_arguments = bfloat16((subject.to_tree(instance)[0], arguments))
    call, value = subject.pure_call(subject.to_tree(instance)[1](small))
    try:
        outcome = shapes_of(call, narrow_arguments, value)
    except NEEDS_VALUES:
        not_applicable("a trace of the call with no inputs needs values")
    except ANY_ERROR as error:
        if lacks_dtype(error) or is_of_flax_layer(error):
            not_applicable(f"there is no such operation in bfloat16: {error}")
        need(not refuses_by_itself(error, type(instance)), f"the class refuses bfloat16: {error}")
        need(
            subject.takes_dtype or not is_of_set_state(error),
            "the state keeps the dtype that it is made with",
        )
        hint = f"{FIXED_DTYPE}, which meets one in bfloat16"
        with doing("call", "the call in bfloat16", hint, severity=severity_of_narrow(subject)):
            raise
    outputs = named_leaves(subject.output_of(outcome))
    names = [name for name, _ in outputs]
    for i, (_, out) in enumerate(outputs):
        if stays_wide(out):
            message = f"with bfloat16 {subject.nouns} and arguments it is {out.dtype}"
            run, given = with_static_modules(lambda *parts: subject.output_of(call(*parts)), narrow_arguments)
            is_meant = out.dtype == jnp.float32 and documents_float32(type(instance))
            if is_meant or is_wide_alone(run, (value, *given), i):
                continue
            hint = f"{FIXED_DTYPE}{unless_promised(subject)}{widened_in(run, (value, *given), i)}"
            # Half of the public classes that do this do it on purpose (docs/findings.md).
            raise Fault(output_name(names, i), message, hint, severity=ADVICE)
    if subject.is_mutable:
        same = avals(outcome[1]) == avals(subject.named(subject.to_tree(instance)[1](small)))
        check(same, "state", "the call changed a dtype of the state")
