"""P7, of results of a call: as declared, and in each dtype."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...declare.leaf_spec import Output
from ...declare.methods import Method
from ...discover.inference import check_declared, fits
from ...discover.method_programs import in_wide_dtypes, the_call
from ...engine.applicability import CALLED, DTYPES, declares, need
from ...engine.registry import Checks
from ...inspect.arrays import bits_by_kind, has_dtype, host, is_key, real_dtype
from ...inspect.classes import documents_float32
from ...inspect.trees import arrays_of, named_leaves, output_name, without_functions
from ...kinds.suite import Suite
from ...report import ADVICE, ANY_ERROR, check, doing
from ...trace.jaxprs import narrowing_casts
from ...trace.wide_results import FIXED_DTYPE, unless_promised
from ...values.closeness import in_64_bits, tolerance_of
from ...values.comparison import check_compared
from ...values.dtypes import compiled_call, example_in, rounded
from .p07_jit_equals_eager import LAW

CHECKS = Checks(LAW)
OF_AXES = "an axis that is kept, lost or the wrong one: `axis`, `keepdims`, or a transpose"

DEFAULTS = None, "float", "int", "uint", "complex", "bool", "key"
"""Dtypes that a declaration names by kind, with the width of jax's default."""
WIDE = "float", "complex"
"""Kinds of outputs that have 64 bits, or 128 if complex, when all inputs have."""


@CHECKS.register(CALLED)
def test_p07_outputs_are_as_declared(subject: Suite) -> None:
    need(subject.outputs(), "the call has no outputs")
    for seed in (0, 1):
        if fits(subject, seed):
            result = subject.call(subject.make(seed), *subject.arguments(seed))
            _check_outputs(subject, named_leaves(without_functions(result)))


def _check_outputs(subject: Suite, got: Sequence[tuple[str, Any]]) -> None:
    outputs, names = subject.outputs(), [name for name, _ in got]
    message = f"{len(got)} outputs, declared are {len(outputs)}"
    check_declared(subject, len(got) == len(outputs), "call", message)
    for i, ((_, value), output) in enumerate(zip(got, outputs)):
        where, message = output_name(names, i), f"the shape is {jnp.shape(value)}, declared is {output.shape}"
        check_declared(subject, output.allows(jnp.shape(value)), where, message, OF_AXES)
        message = f"the dtype is {jnp.result_type(value)}, declared is {output.dtype}"
        check_declared(subject, subject.is_of(output.dtype, value), where, message)


@CHECKS.register(declares("returns", "no outputs are declared"), CALLED, of_dtypes=True)
def test_p07_fixed_dtypes_are_those_of_64_bits_as_well(subject: Suite) -> None:
    check_fixed_dtypes(subject, the_call(subject), subject.returns, "output")


def check_fixed_dtypes(subject: Suite, method: Method, outputs: Sequence[Output], where: str) -> None:
    """Check the dtypes of results where jax has 64 bits.

    A dtype declared with its width stays. A `float` or `complex` has 64 bits a number.
    """
    if not outputs:
        return
    with in_64_bits(), jax.numpy_dtype_promotion("standard"):
        try:
            got, are_wide = in_wide_dtypes(subject, method)
        except ANY_ERROR:  # of what the class fixes P7 tells in other dtypes
            return
        wide = {i: output.dtype for i, output in enumerate(outputs) if output.dtype in WIDE}
        wanted = {i: str(real_dtype(dtype)) for i, dtype in wide.items()}
    fixed = {i: str(output.dtype) for i, output in enumerate(outputs) if output.dtype not in DEFAULTS}
    if len(got) != len(outputs):
        return
    for i, dtype in fixed.items():
        message = f"declared is {dtype}, and where jax has 64 bits it is {got[i].dtype}"
        hint = "what has the width that jax gives it, as `jnp.argmin`: `.astype(jnp.int32)`; `int` declares the default one"
        check(str(got[i].dtype) == dtype, f"{where} {i}", message, hint)
    is_fixed = bool(subject.compute) or documents_float32(type(subject.cached_instance()))
    for i, dtype in wanted.items() if are_wide and not is_fixed else ():
        message = f"where all that goes in has 64 bits it is {got[i].dtype}, and not {dtype}"
        hint = f"{FIXED_DTYPE}{unless_promised(subject)}"
        check(str(got[i].dtype) == dtype, f"{where} {i}", message, hint, severity=ADVICE)


@CHECKS.register(DTYPES, CALLED)
def test_p07_computes_in_each_declared_dtype(subject: Suite) -> None:
    call = compiled_call(subject)
    for dtype in subject.dtypes:
        with doing("call", f"the class in {dtype}"), example_in(subject, dtype, 0) as (instance, arguments):
            got = call(instance, *arguments)
        instance, arguments = rounded(subject.example(), dtype)
        usual = arrays_of(call(instance, *arguments))
        draws = any(map(is_key, jax.tree.leaves((instance, arguments))))
        for i, (before, now) in enumerate(zip(usual, arrays_of(got), strict=True)):
            if has_dtype(before, "float"):
                _check_dtype(dtype, f"output {i}", before, now)
                if not draws:  # what is drawn depends on the dtype
                    _check_values(subject, dtype, f"output {i}", before, now)


def _check_dtype(dtype: str, where: str, usual: Any, got: Any) -> None:
    """Check that a float is in this dtype, and as finite as in the default dtype."""
    same = got.dtype in (jnp.dtype(dtype), jnp.finfo(dtype).dtype)
    check(same, where, f"in {dtype} it is {got.dtype}", FIXED_DTYPE)
    lost = np.isfinite(host(usual)) & ~np.isfinite(host(got))
    hint = "what 16 bits cannot hold: a large number, or an epsilon that is 0"
    check(not lost.any(), where, f"in {dtype} it is {got}", hint)


def _check_values(subject: Suite, dtype: str, where: str, usual: Any, got: Any) -> None:
    """Check that values agree with those in the default dtype, to the narrower precision."""
    narrow = max(jnp.dtype(dtype), usual.dtype, key=lambda candidate: jnp.finfo(candidate).eps)
    value, other = (host(v).astype(np.complex128) for v in (got, usual))
    message = f"in {dtype} it is not what it is in {usual.dtype}"
    hint = "a way through the call for one dtype; `tolerance` allows more rounding"
    check_compared(where, message, value, other, tolerance_of(narrow, subject.tolerance), hint)


@CHECKS.register(CALLED, severity=ADVICE)
def test_p07_loses_no_precision_on_the_way(subject: Suite) -> None:
    need(subject.strict, "the call may change precision on the way")
    closed = subject.traced_call()
    leaves = [*subject.named(subject.cached_instance()).values(), *arrays_of(subject.arguments(0))]
    for equation in narrowing_casts(closed.jaxpr, bits_by_kind([*leaves, *closed.out_avals])):
        dtypes = equation.invars[0].aval.dtype, equation.outvars[0].aval.dtype
        message = f"it casts {dtypes[0]} to {dtypes[1]}, which nothing that it is given has"
        hint = "`astype` in the middle of the call; `narrowest` names the dtype that may be"
        check(str(dtypes[1]) == subject.narrowest, "call", message, hint)
