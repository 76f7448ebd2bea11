"""P7 for NNX modules: the call, compiled and not."""

import functools
import traceback
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx

from ...engine.applicability import not_applicable
from ...engine.runner import guard
from ...inspect.arrays import is_fixed_inexact, is_floating, is_inexact, real_dtype, stays_wide
from ...inspect.trees import arrays_of, combine, partition
from ...report import ANY_ERROR, Law, check, doing
from ...trace.jaxprs import lacks_dtype
from ...values.closeness import check_overflow, close
from ..subject.suite import NnxSuite
from ..subject.variables import has_nan, shapes_of, values_of

LAW = Law(
    number="P7",
    name="jit equals eager",
    statement="The call gives the same values and dtypes, and leaves the same state, in Python, under nnx.jit, and under jax.jit through split and merge; arguments whose elements are equal give no NaN, and large ones overflow nowhere on the way.",
    mistake="The call branches on values, mixes dtypes, or updates a Variable inside of a jax.jit of its own, which loses the update.",
    fix="Use nnx.jit, or return the state: `return y, nnx.state(module)`; make arrays with `dtype=x.dtype`.",
    rests_on=("test_p02_the_state_is_", "test_p02_variables_are_", "test_p03_split"),
)


@guard
class NnxJitEqualsEager(NnxSuite):
    """P7 for NNX modules."""

    def test_p07_nnx_jit_equals_eager(self) -> None:
        self._check_compiled(self.by_nnx_jit(), "nnx.jit")

    def test_p07_jax_jit_through_split_and_merge_equals_eager(self) -> None:
        self._check_compiled(self.by_jax_jit(), "jax.jit")

    def _check_compiled(self, compiled: Callable[..., Any], what: str) -> None:
        self.need_call()
        for seed in (0, 1):
            instance = self.cached_instance(seed)
            eager = self.run(instance, *self.arguments(seed))
            with doing("call", f"the call under {what}"):
                got = compiled(instance, *self.arguments(seed))
            message = f"{what} gives {got[0]}, eager {eager[0]}"
            check(close(got[0], eager[0]), "call", message)
            for path, value in eager[1].items():
                message = f"after {what} it is {got[1][path]}, after an eager call {value}"
                check(close(got[1][path], value), path, message)

    def _abstract(self, instance: Any, arguments: Any) -> Any:
        step = functools.partial(self.step_of_state, nnx.graphdef(instance))
        return jax.eval_shape(step, nnx.state(instance), *arguments)

    def test_p07_mixes_no_precisions(self) -> None:
        instance, arguments = self.cached_example()
        if not self.strict:
            not_applicable("the call may promote dtypes and ranks")
        hint = "operands of two dtypes or ranks: cast or broadcast them explicitly"
        promotion = jax.numpy_dtype_promotion("strict")
        with doing("call", "the call under strict promotion", hint), promotion:
            try:
                self._abstract(instance, arguments)
            except jax.dtypes.TypePromotionError as error:  # an int may meet a float
                if not any(kind in str(error) for kind in ("int", "bool")):
                    raise

    def test_p07_broadcasts_no_ranks(self) -> None:
        instance, arguments = self.cached_example()
        if self.broadcasts:
            not_applicable("the call may broadcast ranks")
        hint = "operands of two ranks: write `x[None]`, or `broadcasts = True`"
        with doing("call", "the call", hint), jax.numpy_rank_promotion("raise"):
            self._abstract(instance, arguments)

    def test_p07_bfloat16_in_bfloat16_out(self) -> None:
        instance, arguments = self.cached_example()
        if not self._computes_in_one_dtype(instance, arguments):
            not_applicable("the module fixes a dtype")
        small, call_arguments = jax.tree.map(
            lambda v: jax.ShapeDtypeStruct(v.shape, jnp.bfloat16) if is_floating(v) else v,
            (nnx.state(instance), arguments),
        )
        step = functools.partial(self.step_of_state, nnx.graphdef(instance))
        with doing("call", "the call in bfloat16"):
            try:
                output, state = jax.eval_shape(step, small, *call_arguments)
            except ANY_ERROR as error:
                if lacks_dtype(error) or is_of_a_layer(error):
                    not_applicable(f"jax has no such operation in bfloat16: {error}")
                raise
        for i, out in enumerate(jax.tree.leaves(output)):
            message = f"with bfloat16 Variables and arguments it is {out.dtype}"
            check(not stays_wide(out), f"output {i}", message, "an array with a fixed dtype")
        message = "the call changed a dtype of the state"
        check(shapes_of(state) == shapes_of(small), "state", message)

    def _computes_in_one_dtype(self, instance: Any, arguments: Any) -> bool:
        declared = [variable.dtype for variable in self.manifest() if not variable.is_tree]
        fixed = [*declared, *(str(output.dtype) for output in self.returns)]
        held = [*values_of(instance).values(), *jax.tree.leaves(arguments)]
        others = [v for v in held if is_inexact(v) and v.dtype != real_dtype("float")]
        layers = (node for _, node in nnx.iter_modules(instance))
        told = [layer for layer in layers if getattr(layer, "dtype", None) is not None]
        return not (any(map(is_fixed_inexact, fixed)) or others or told)

    def test_p07_equal_arguments_give_no_nan(self) -> None:
        instance, arguments = self.cached_example()
        hint = "a division by a deviation or a norm that can be 0: add an epsilon"
        for fill in (0, 1):
            try:
                call_arguments = self.filled(arguments, fill)
                results, _ = self.by_nnx_jit()(instance, *call_arguments)
            except ANY_ERROR:
                continue  # a check in the call refuses these values
            message = f"with each element of the arguments {fill} it has NaN"
            for i, result in enumerate(arrays_of(results)):
                check(not has_nan(result), f"output {i}", message, hint)

    def test_p07_large_arguments_do_not_overflow_on_the_way(self) -> None:
        instance, arguments = self.cached_example()
        graphdef, state = nnx.split(instance)
        for fill in (100, -100, 300, -300):
            large = self.filled(arguments, fill)
            try:
                found, _ = self.by_nnx_jit()(instance, *large)
            except ANY_ERROR:
                continue  # a check in the call refuses these values
            message = f"with each element of the arguments {fill}"
            static, arrays = partition((state, large))
            run = functools.partial(self._output_of, graphdef, static)
            check_overflow(message, arrays_of(found), run, arrays)

    def _output_of(self, graphdef: Any, static: Any, arrays: Any) -> list[Any]:
        state, arguments = combine(static, arrays)
        return arrays_of(self.step_of_state(graphdef, state, *arguments)[0])


def is_of_a_layer(error: Exception) -> bool:
    """Whether a layer of Flax raised it, which chooses dtypes by itself."""
    frames = traceback.extract_tb(error.__traceback__)
    return any("flax/nnx/nn/" in frame.filename.replace("\\", "/") for frame in frames)
