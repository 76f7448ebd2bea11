"""P7: the call, compiled and not."""

import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...discover.inference import fits
from ...discover.suggest import check_declared
from ...engine.applicability import ABSENT, DTYPES, Condition, applies_where, not_applicable, of_class
from ...engine.runner import guard
from ...inspect.arrays import (
    bits_by_kind,
    has_dtype,
    host,
    is_fixed_inexact,
    is_inexact,
    is_key,
    real_dtype,
    stays_wide,
)
from ...inspect.classes import documents_nan
from ...inspect.references import snapshot
from ...inspect.static_values import structures_in
from ...inspect.trees import arrays_of, bfloat16, combine, nodes, numbers_of, partition, without_functions
from ...patches.fast_compile import quick_options
from ...report import ANY_ERROR, Law, check, doing
from ...suites.base import Suite
from ...suites.pytree import PytreeSuite
from ...trace.jaxprs import NEEDS_VALUES, lacks_dtype, narrowing_casts
from ...trace.programs import Compiled
from ...values.closeness import check_close, check_overflow, tolerance_of
from ...values.comparison import compare, recording_differences
from ...values.dtypes import compiled_call, example_in, rounded

NAN_IS_MEANT = "a docstring of the class says where it gives NaN"

LAW = Law(
    number="P7",
    name="jit equals eager",
    statement="The call gives the same values and dtypes with and without jit, as declared, leaves the instance alone, and computes in the dtype that it is given, also on the way; arguments of zeros or ones give no NaN, and large ones overflow nowhere on the way.",
    protects="A function that gives one result eagerly and another under `jax.jit`: Python control flow on traced values, or side effects that happen at tracing alone.",
    mistake="The call branches on values, keeps state on self, mixes dtypes, or makes an array with a fixed or default dtype.",
    fix="Return new state instead of storing it; make arrays with `dtype=x.dtype`; broadcast explicitly.",
    lesser={"mixes_no": "advice", "broadcasts": "advice", "loses_no": "advice"},
    rests_on=("test_p02_leaves_are_", "test_p03_round_trip", "test_p05_aux"),
)


NO_BROADCASTS = Condition("the call may broadcast ranks", lambda suite: not suite.broadcasts, "broadcasts")


def is_equinox(cls: type) -> bool:
    equinox: Any = sys.modules.get("equinox")
    return equinox is not None and issubclass(cls, equinox.Module)


@guard
class JitEqualsEager(Suite):
    """P7 for classes of every kind."""

    def test_p07_outputs_are_as_declared(self) -> None:
        self.need_call()
        if not self.outputs():
            not_applicable("the call has no outputs")
        for seed in (0, 1):
            if fits(self, seed):
                result = self.call(self.make(seed), *self.arguments(seed))
                result = without_functions(result)
                self._check_outputs(jax.tree.leaves(result))

    def _check_outputs(self, got: Sequence[Any]) -> None:
        outputs = self.outputs()
        message = f"{len(got)} outputs, declared are {len(outputs)}"
        check_declared(self, len(got) == len(outputs), "call", message)
        for i, (value, output) in enumerate(zip(got, outputs)):
            message = f"the shape is {jnp.shape(value)}, declared is {output.shape}"
            same = jnp.shape(value) == tuple(output.shape)
            check_declared(self, same, f"output {i}", message)
            message = f"the dtype is {jnp.result_type(value)}, declared is {output.dtype}"
            same = self.is_of(output.dtype, value)
            check_declared(self, same, f"output {i}", message)

    @applies_where(DTYPES)
    def test_p07_computes_in_each_declared_dtype(self) -> None:
        self.need_call()
        call = compiled_call(self)
        for dtype in self.dtypes:
            with doing("call", f"the class in {dtype}"):
                got = self._result_in(dtype, call)
            instance, arguments = rounded(self.example(), dtype)
            usual = call(instance, *arguments)
            draws = any(map(is_key, jax.tree.leaves((instance, arguments))))
            pairs = zip(arrays_of(usual), arrays_of(got), strict=True)
            for i, (before, now) in enumerate(pairs):
                if has_dtype(before, "float"):
                    self._check_dtype(dtype, f"output {i}", before, now)
                    if not draws:  # what is drawn depends on the dtype
                        self._check_values(dtype, f"output {i}", before, now)

    def _result_in(self, dtype: str, call: Callable[..., Any]) -> Any:
        with example_in(self, dtype, 0) as (instance, arguments):
            return call(instance, *arguments)

    def _check_dtype(self, dtype: str, where: str, usual: Any, got: Any) -> None:
        """What is of the default dtype otherwise is of this one, and as finite."""
        same = got.dtype in (jnp.dtype(dtype), jnp.finfo(dtype).dtype)
        hint = "an array with a fixed dtype: `dtype=x.dtype`"
        check(same, where, f"in {dtype} it is {got.dtype}", hint)
        lost = np.isfinite(host(usual)) & ~np.isfinite(host(got))
        hint = "what 16 bits cannot hold: a large number, or an epsilon that is 0"
        check(not lost.any(), where, f"in {dtype} it is {got}", hint)

    def _check_values(self, dtype: str, where: str, usual: Any, got: Any) -> None:
        """Its values are those of the default dtype, as far as the narrower one tells."""
        narrow = max(jnp.dtype(dtype), usual.dtype, key=lambda one: jnp.finfo(one).eps)
        allowed = tolerance_of(narrow, self.tolerance)
        with recording_differences() as differences:
            one, other = (host(v).astype(np.complex128) for v in (got, usual))
            compare(one, other, allowed)
        message = f"in {dtype} it is not what it is in {usual.dtype}"
        hint = "a way through the call for one dtype; `tolerance` allows more rounding"
        check(not differences, where, "; ".join([message, *differences]), hint)

    def test_p07_loses_no_precision_on_the_way(self) -> None:
        self.need_call()
        if not self.strict:
            not_applicable("the call may change precision on the way")
        closed = self.traced_call()
        held = self.named(self.cached_instance())
        leaves = [*held.values(), *arrays_of(self.arguments(0))]
        narrowest = bits_by_kind([*leaves, *closed.out_avals])
        for equation in narrowing_casts(closed.jaxpr, narrowest):
            dtypes = equation.invars[0].aval.dtype, equation.outvars[0].aval.dtype
            message = f"it casts {dtypes[0]} to {dtypes[1]}, which nothing that it is given has"
            hint = "`astype` in the middle of the call; `narrowest` names the dtype that may be"
            check(str(dtypes[1]) == self.narrowest, "call", message, hint)


@guard
class PytreeJitEqualsEager(PytreeSuite):
    """P7 for pytrees."""

    @applies_where(ABSENT)
    def test_p07_works_without_what_is_optional(self) -> None:
        self.need_call()
        hint = "a part that may be None is asked for (`is None`) before it is used"
        for change in self.absent:
            with doing(f"the call with {dict(change)}", "it", hint):
                instance = self.built_abstractly({**self.inputs(0), **change})
                Compiled(self.use, self.mixed).shapes(instance, *self.arguments(0))

    def test_p07_jit_equals_eager(self) -> None:
        self.need_call()
        compiled, name = self.compiled_use(), type(self.cached_instance()).__name__
        for seed in (0, 1):
            instance = self.make(seed)
            before = snapshot(instance)
            eager = self.apply(instance, *self.arguments(seed))
            check(snapshot(instance) == before, name, "the eager call changed the instance")
            with doing("call", "the call under jax.jit"):
                got = compiled(instance, *self.arguments(seed))
            check_close("call", "jit gives {}, eager {}", got, eager)
            same = snapshot(instance) == before
            check(same, name, "the compiled call changed the instance")

    def test_p07_equal_arguments_give_no_nan(self) -> None:
        instance, arguments = self.cached_example()
        if documents_nan(type(instance)):
            not_applicable(NAN_IS_MEANT)
        hint = "a division by a deviation or a norm that can be 0: add an epsilon"
        for fill in (0, 1):
            try:
                results = self.compiled_use()(instance, *self.filled(arguments, fill))
            except ANY_ERROR:
                continue  # a check in the call refuses these values
            for i, result in enumerate(arrays_of(results)):
                message = f"with each element of the arguments {fill} it has NaN"
                has = is_inexact(result) and np.isnan(np.asarray(result)).any()
                check(not has, f"output {i}", message, hint)

    def test_p07_large_arguments_do_not_overflow_on_the_way(self) -> None:
        instance, arguments = self.cached_example()
        for fill in (100, -100, 300, -300):
            large = self.filled(arguments, fill)
            try:
                found = arrays_of(self.compiled_use()(instance, *large))
            except ANY_ERROR:
                continue  # a check in the call refuses these values
            message = f"with each element of the arguments {fill}"
            static, arrays = partition((instance, large))
            run = functools.partial(self._of_parts, static)
            check_overflow(message, found, run, arrays)

    def _of_parts(self, static: Any, arrays: Any) -> list[Any]:
        instance, arguments = combine(static, arrays)
        return numbers_of(self.apply(instance, *arguments))

    @applies_where(of_class("the class is no Equinox Module", is_equinox))
    def test_p07_filter_jit_equals_eager(self) -> None:
        instance, arguments = self.example()
        equinox: Any = sys.modules.get("equinox")
        eager = self.apply(instance, *arguments)
        options = {"compiler_options": quick_options()}  # handed on to jax.jit
        run = equinox.filter_jit(lambda *a: self.apply(*a), **options)
        got = run(instance, *arguments)
        check_close("call", "filter_jit gives {}, eager {}", got, eager)

    def test_p07_mixes_no_precisions(self) -> None:
        instance, arguments = self.cached_example()
        if not self.strict:
            not_applicable("the call may promote dtypes")
        hint = "operands of two dtypes: cast them explicitly"
        strict = jax.config.values["jax_numpy_dtype_promotion"] == "strict"
        promotion = jax.numpy_dtype_promotion("strict")
        with doing("call", "the call under strict promotion", hint), promotion:
            try:
                value, back = self.dynamic(instance)
                jax.eval_shape(lambda v, arguments: self.apply(back(v), *arguments), value, arguments)
            except jax.dtypes.TypePromotionError as error:
                # An integer may meet a float, but where the tests forbid that everywhere.
                if strict or not any(kind in str(error) for kind in ("int", "bool")):
                    raise

    @applies_where(NO_BROADCASTS)
    def test_p07_broadcasts_no_ranks(self) -> None:
        instance, arguments = self.example()
        hint = "operands of two ranks: write `x[None]`, or `broadcasts = True`"
        with doing("call", "the call", hint), jax.numpy_rank_promotion("raise"):
            jax.eval_shape(lambda: self.apply(instance, *arguments))

    def test_p07_bfloat16_in_bfloat16_out(self) -> None:
        instance, arguments = self.cached_example()
        if not self._computes_in_one_dtype(instance, arguments):
            not_applicable("the class fixes a dtype")
        values = bfloat16((instance, arguments))
        hint = "an array with a fixed dtype, which meets one in bfloat16"
        with doing("call", "the call in bfloat16", hint):
            try:
                result = jax.eval_shape(lambda: self.apply(values[0], *values[1]))
            except NEEDS_VALUES:
                not_applicable("a trace of the call with no inputs needs values")
            except ANY_ERROR as error:
                if lacks_dtype(error):
                    not_applicable(f"jax has no such operation in bfloat16: {error}")
                raise
        for i, out in enumerate(jax.tree.leaves(result)):
            message = f"with bfloat16 leaves and arguments it is {out.dtype}"
            check(not stays_wide(out), f"output {i}", message, "an array with a fixed dtype")

    def _computes_in_one_dtype(self, instance: Any, arguments: Any) -> bool:
        declared = [leaf.dtype for leaf in self.manifest() if leaf.shape is not None]
        declared += [str(out.dtype) for out in self.returns]
        fixed = [name for name in declared if is_fixed_inexact(name)]
        call_arguments = [v.dtype for v in jax.tree.leaves((instance, arguments)) if is_inexact(v)]
        # What the arguments say of arrays as static stays, whatever the arrays become.
        held = [argument.dtype for argument in structures_of(arguments)]
        says = any(jnp.issubdtype(one, jnp.inexact) for one in held)
        # Without any float there is nothing that the outputs could follow.
        return not (fixed or says or self.compute) and {*call_arguments} == {real_dtype("float")}


def structures_of(tree: Any) -> list[Any]:
    """The structures of arrays that the static values of a tree's nodes say."""
    return [structure for _, _, aux in nodes(tree) for structure in structures_in(aux)]
