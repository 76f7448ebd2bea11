"""What the laws say of the call, said of each method and property beside it.

The tests have the numbers of the laws that they belong to. All methods share a few programs,
since to compile is what costs.
"""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.core import Tracer

from ..applies import ABSENT, DTYPES, METHODS, PLATFORMS, applies_where, not_applicable
from ..example_sizes import hint_of
from ..guard import guard
from ..look.arrays import (
    has_dtype,
    is_fixed_inexact,
    is_inexact,
    is_key,
    real_dtype,
)
from ..look.draws import check_draws, check_keys
from ..look.jaxprs import (
    compiled_anew,
    constant_draws,
    lacks_dtype,
    lost_updates,
)
from ..look.numerics import check_close
from ..look.platforms import lowering_fault
from ..look.references import frozen, mutables, reachable
from ..look.refusals import is_refusal
from ..look.surroundings import clear_caches, globals_of
from ..look.trees import named_leaves, put
from ..method_programs import (
    abstractly,
    compiled_methods,
    in_bfloat16,
    parts_of_result,
    program_of,
    the_call,
    trace_of,
    traceable,
    traced_in,
    traces_of,
    tried,
    usable,
)
from ..method_suite import MEMBERS, NO_METHOD, MethodSuite, names_of
from ..methods import Method, methods_of
from ..pytree import PytreeSuite
from ..report import ANY_ERROR, Fault, check, doing
from .slopes_of_methods import MethodsCarry, MethodsGradient

ANEW = (
    "`jax.jit` of a lambda, a partial or a bound method that the call makes: compile a "
    "function of the module, and give it the instance as an argument"
)
VALUES = (
    "values decide a branch or a shape: `jnp.where`, or `Method(..., traced=False)`"
)
RAISES = "what raises whenever it is used; a `raise` with the reason says so on purpose"


@guard
class MethodsTrace(MethodSuite):
    """P6 for methods and the call."""

    def test_p06_a_call_compiles_nothing_anew(self) -> None:
        laws: Any = type(self)
        found = {one: traces_of(laws)[one.name].jaxpr for one in traceable(laws)}
        if self.called():
            found[the_call(self)] = self.traced_call().jaxpr
        if not found:
            not_applicable("the class is not called, and has no method")
        for method, first in found.items():
            for name in compiled_anew(first, trace_of(self, method).jaxpr):
                told = f"each use traces and compiles `{name}` anew"
                check(False, method.name, told, ANEW)


@guard
class MethodsWork(MethodSuite):
    """P7 for methods."""

    @applies_where(MEMBERS)
    def test_p07_methods_give_what_is_declared(self) -> None:
        laws: Any = type(self)
        if not methods_of(self):
            not_applicable(NO_METHOD)
        for method in usable(laws):
            if method.returns:
                held = self.copied(self.specimen())
                result = method.use(held, *method.arguments(0))
                self._check_returns(method, jax.tree.leaves(result))
        errors = tried(laws).items()
        broken = {one: error for one, error in errors if self._is_broken(one, error)}
        for name, error in broken.items():
            told = f"it raised {type(error).__name__}: {error!s:.300}"
            others = ", ".join(one for one in broken if one != name)
            told += f"; so do {others}" if others else ""
            raise Fault(name, told, hint_of(self, error) or RAISES) from error

    def _is_broken(self, name: str, error: Exception | None) -> bool:
        """Whether a method raises on its example, and does not say so on purpose."""
        if error is None or isinstance(error, NotImplementedError):
            return False
        is_found = any(one.found and one.name == name for one in methods_of(self))
        return not (is_found and is_refusal(error, type(self.specimen())))

    def _check_returns(self, method: Method, got: Sequence[Any]) -> None:
        told = f"it gives {len(got)} leaves, declared are {len(method.returns)}"
        check(len(got) == len(method.returns), method.name, told)
        for i, (value, output) in enumerate(zip(got, method.returns)):
            where = f"{method.name}, output {i}"
            told = f"the shape is {jnp.shape(value)}, declared is {output.shape}"
            check(jnp.shape(value) == tuple(output.shape), where, told)
            told = f"the dtype is {jnp.result_type(value)}, declared is {output.dtype}"
            check(has_dtype(value, output.dtype), where, told)

    @applies_where(METHODS)
    def test_p07_methods_can_be_traced(self) -> None:
        laws: Any = type(self)
        for method in self.usable_methods(declared=True):
            if not method.needs_values and method.name not in traces_of(laws):
                with doing(method.name, "under jax.jit it", VALUES):
                    trace_of(self, method)

    @applies_where(MEMBERS)
    def test_p07_methods_jit_equals_eager(self) -> None:
        laws: Any = type(self)
        methods, run = self.traced_methods(), compiled_methods(laws)
        for seed in (0, 1):
            instance = self.specimen(seed)
            pairs = [(one, one.arguments(seed)) for one in methods]
            eager = [parts_of_result(self, instance, *pair) for pair in pairs]
            with doing(names_of(methods), "one of these under jax.jit"):
                got = run(instance, [one.arguments(seed) for one in methods])
            for method, one, other in zip(methods, got, eager):
                check_close(method.name, "jit gives {}, eager {}", one, other)

    @applies_where(METHODS)
    def test_p07_methods_in_bfloat16_give_bfloat16(self) -> None:
        methods = [one for one in self.traced_methods(declared=True) if one.returns]
        instance = self.specimen()
        given = {one.name: one.arguments(0) for one in methods}
        if not methods or not _has_one_dtype(self, methods, (instance, given)):
            not_applicable("the class fixes a dtype, or no method says what it gives")
        for method in methods:
            with doing(method.name, "in bfloat16 it"):
                try:
                    result = in_bfloat16(self, method, instance, given[method.name])
                except ANY_ERROR as error:
                    if lacks_dtype(error):
                        continue
                    raise
            for i, out in enumerate(result):
                is_wide = jnp.issubdtype(out.dtype, jnp.floating)
                told = f"with bfloat16 leaves and arguments it is {out.dtype}"
                right = not is_wide or out.dtype == jnp.bfloat16
                hint = "an array with a fixed dtype: `dtype=x.dtype`"
                check(right, f"{method.name}, output {i}", told, hint)

    @applies_where(METHODS, DTYPES)
    def test_p07_methods_compute_in_each_dtype(self) -> None:
        self.traced_methods(declared=True)
        for dtype in self.dtypes:
            self._check_in(dtype)

    def _check_in(self, dtype: str) -> None:
        laws: Any = type(self)
        hint = "an array with a fixed dtype: `dtype=x.dtype`"
        for method in self.traced_methods(declared=True):
            with doing(method.name, f"in {dtype} it"):
                usual, got = (
                    traces_of(laws)[method.name],
                    traced_in(self, method, dtype),
                )
            for i, (before, now) in enumerate(zip(usual.out_avals, got.out_avals)):
                follows = has_dtype(before, "float")
                same = now.dtype == jnp.dtype(dtype)
                where = f"{method.name}, output {i}"
                told = f"in {dtype} it is {now.dtype}"
                check(same or not follows, where, told, hint)


def _has_one_dtype(suite: Any, methods: Sequence[Method], held: Any) -> bool:
    """Whether all floats have the default dtype, and no declaration fixes another."""
    outputs = [out for one in methods for out in one.returns]
    declared = [one.dtype for one in suite.manifest() if not one.is_tree]
    declared += [str(out.dtype) for out in (*outputs, *suite.returns)]
    found = {v.dtype for v in jax.tree.leaves(held) if is_inexact(v)}
    fixed = any(map(is_fixed_inexact, declared))
    return not fixed and found == {real_dtype("float")}


@guard
class MethodsPurity(MethodSuite):
    """P12 for methods."""

    @applies_where(MEMBERS)
    def test_p12_methods_leave_the_instance_alone(self) -> None:
        hint = "a value that is kept on `self`, or in a `cached_property`"
        for method in self.usable_methods():
            instance, given = self.make(0), method.arguments(0)
            clear_caches(instance)
            before = self.remembered(instance)
            with contextlib.suppress(Exception):  # it needs values
                abstractly(self, instance, method, given)
            for place, value in reachable(instance, method.name):
                told = "a tracer was left behind by a use inside jit"
                check(not isinstance(value, Tracer), place, told, hint)
            method.use(instance, *given)
            told = "it changed what the instance holds"
            check(self.remembered(instance) == before, method.name, told, hint)

    @applies_where(MEMBERS)
    def test_p12_methods_leave_their_arguments_alone(self) -> None:
        for method in self.usable_methods():
            given = method.arguments(0)
            held = [value for _, value in mutables(given)]
            before = [frozen(value, identity=True) for value in held]
            method.use(self.copied(self.specimen()), *given)
            same = [frozen(value, identity=True) for value in held] == before
            check(same, method.name, "it changed its arguments in place")

    @applies_where(MEMBERS)
    def test_p12_methods_change_no_globals(self) -> None:
        for method in self.usable_methods():
            before = globals_of(self.specimen())
            method.use(self.copied(self.specimen(1)), *method.arguments(1))
            after = globals_of(self.specimen())
            wrong = [n for n in {**before, **after} if before.get(n) != after.get(n)]
            told = f"on a fresh instance it changed {', '.join(wrong)}"
            check(not wrong, method.name, told, "a counter, or a cache, in the module")

    @applies_where(METHODS)
    def test_p12_methods_have_no_side_effects(self) -> None:
        laws: Any = type(self)
        for method in self.traced_methods(declared=True):
            closed = traces_of(laws)[method.name]
            names = ", ".join(sorted(type(one).__name__ for one in closed.effects))
            hint = "`jax.debug.print`, `jax.debug.callback` or `io_callback`"
            check(not names, method.name, f"it has side effects: {names}", hint)
            wrong = [one.primitive.name for one in lost_updates(closed.jaxpr)]
            told = f"nothing uses the result of {', '.join(wrong)}"
            hint = "`x.at[i].set(y)` changes nothing in place: go on with its result"
            check(not wrong, method.name, told, hint)

    @applies_where(METHODS)
    def test_p15_methods_use_each_key_once(self) -> None:
        instance = self.specimen()
        if getattr(self, "reuses_key", False):
            not_applicable("a draw that is made again is meant")
        for method in self.traced_methods(declared=True):
            given = method.arguments(0)
            if any(map(is_key, jax.tree.leaves((instance, given)))):
                self._check_keys(method, program_of(self, method, instance, given))

    def _check_keys(self, method: Method, program: Any) -> None:
        laws: Any = type(self)
        (run, arrays), own = program, traces_of(laws)[method.name]
        check_keys(method.name, lambda both: run(*both), arrays)
        check_draws(method.name, lambda: own)

    @applies_where(METHODS)
    def test_p12_methods_draw_from_a_key_that_is_given(self) -> None:
        laws: Any = type(self)
        for method in self.traced_methods(declared=True):
            if any(map(is_key, jax.tree.leaves(method.arguments(0)))):
                jaxpr = traces_of(laws)[method.name].jaxpr
                wrong = list(constant_draws(jaxpr, set(jaxpr.invars)))
                told = f"{len(wrong)} of its draws depend on nothing that it is given"
                hint = "a constant key, as `jax.random.key(0)`"
                check(not wrong, method.name, told, hint)


@guard
class MethodsLower(MethodSuite):
    """P18 for methods."""

    @applies_where(PLATFORMS, METHODS)
    def test_p18_methods_lower_for_every_platform(self) -> None:
        platforms = getattr(self, "lower_for", ())
        for method in self.traced_methods(declared=True):
            given = self.specimen(), method.arguments(0)
            run, arrays = program_of(self, method, *given)
            found = [lowering_fault(run, name, *arrays) for name in platforms]
            check(not any(found), method.name, "; ".join(filter(None, found)))


class Methods(  # pytest runs the tests of the last base first
    MethodsLower,
    MethodsPurity,
    MethodsCarry,
    MethodsGradient,
    MethodsWork,
    MethodsTrace,
):
    """What the laws say of methods."""


@guard
class PytreeMethods(Methods, PytreeSuite):
    """The same for pytrees."""

    def opened(self, instance: Any) -> tuple[Any, Callable[[Any], Any]]:
        return self.dynamic(instance)

    def flowing_values(
        self, instance: Any
    ) -> tuple[dict[str, Any], Callable[[Mapping[str, Any]], Any]]:
        paths = self.flowing(instance)
        if self.leaves is None:  # then nobody said what is data, and what is cut off
            paths = {path for path in paths if self.role(path) == "param"}
        return self._values_of(instance, paths)

    def buffer_values(
        self, instance: Any
    ) -> tuple[dict[str, Any], Callable[[Mapping[str, Any]], Any]]:
        held = {name for name, v in named_leaves(instance) if is_inexact(v)}
        own = {one for one in held if self.role(one) == "buffer"}
        # Where nothing is declared, nobody said what is cut off.
        return self._values_of(instance, set() if self.leaves is None else own)

    def _values_of(
        self, instance: Any, paths: set[str]
    ) -> tuple[dict[str, Any], Callable[[Mapping[str, Any]], Any]]:
        """The leaves at these paths, and an instance with others in their places."""
        pairs = enumerate(named_leaves(instance))
        places = {name: i for i, (name, _) in pairs if name in paths}
        values = {name: leaf for name, leaf in named_leaves(instance) if name in paths}
        return values, lambda changed: put(
            instance, {places[n]: v for n, v in changed.items()}
        )

    @applies_where(MEMBERS, ABSENT)
    def test_p07_methods_work_without_what_is_optional(self) -> None:
        methods = self.traced_methods()
        hint = "a part that may be None is asked for (`is None`) before it is used"
        for change in self.absent:
            instance = self.built_abstractly({**self.inputs(0), **change})
            for method in methods:
                with doing(method.name, f"with {dict(change)} it", hint):
                    abstractly(self, instance, method, method.arguments(0))
