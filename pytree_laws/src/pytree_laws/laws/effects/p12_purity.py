"""P12: a call leaves everything alone."""

import contextlib
import functools
import inspect
import sys
import warnings
from typing import Any

import jax
import numpy as np
import pytest
from jax.core import Tracer

from ...engine.applicability import not_applicable
from ...engine.runner import first_call, guard
from ...inspect.arrays import is_key
from ...inspect.classes import second_class
from ...inspect.global_state import clear_caches, globals_of
from ...inspect.references import (
    check_caches_hold_no_tracer,
    class_attributes,
    mutables,
    parts_of,
    reachable,
    snapshot,
)
from ...inspect.trees import arrays_of, clone_as, map_arrays, nodes, without_functions
from ...report import Law, check, doing
from ...suites.base import Suite
from ...suites.pytree import PytreeSuite
from ...trace.jaxprs import NEEDS_VALUES, constant_draws, dead_equations, is_update_or_check
from ...values.closeness import check_close

LAW = Law(
    number="P12",
    name="purity",
    statement="A call leaves no tracer behind, changes nothing, prints nothing, throws no update away, and draws from a key that it is given.",
    protects="`UnexpectedTracerError`: a tracer that leaked out of a transformed function by a side effect. Also an effect that happens once, when the function is traced, and never again.",
    mistake="The call appends to a list, or caches on self, in cached_property, in lru_cache or in a module-level dict; a print or a constant key is left over.",
    fix="Return what has to be remembered; compute tables in the constructor as buffers, or anew in each call.",
    rests_on=("test_p03_round_trip",),
)


@guard
class Purity(Suite):
    """P12 for classes of every kind."""

    def test_p12_a_call_changes_no_globals(self) -> None:
        self.need_call()
        first_call(self).check("call")
        cases = list(self.call_cases())
        before: dict[str, Any] = {}
        for what, instance, arguments in cases:
            self.apply(instance, *arguments)
            after = globals_of(instance)
            wrong = [n for n in {**before, **after} if before.get(n) != after.get(n)]
            message = f"{what} on a fresh instance changed {', '.join(wrong)}"
            hint = "a counter in the module, or a cache with an entry for each instance"
            # The first call may fill a cache that depends on the configuration alone.
            check(not wrong or what == "call 1", ", ".join(wrong), message, hint)
            before = after

    def test_p12_the_call_has_no_side_effects(self) -> None:
        self.need_call()
        effects = {type(effect).__name__ for effect in self.traced_call().effects}
        message = f"the call has side effects: {', '.join(sorted(effects))}"
        hint = "`jax.debug.print`, `jax.debug.callback` or `io_callback` in the call"
        check(not effects, "call", message, hint)

    def test_p12_throws_no_update_away(self) -> None:
        self.need_call()
        dead = dead_equations(self.traced_call().jaxpr)
        wrong = [equation.primitive.name for equation in dead if is_update_or_check(equation)]
        message = f"nothing uses the result of {', '.join(wrong)}"
        hint = (
            "`x.at[i].set(y)` and `eqx.error_if(x, ...)` change nothing in place: go on with what they return"
        )
        check(not wrong, "call", message, hint)

    def test_p12_leaves_numpy_arguments_alone(self) -> None:
        instance, arguments = self.example()
        call_arguments = map_arrays(lambda v: v if is_key(v) else np.array(v), arguments)
        before = [snapshot(v) for v in arrays_of(call_arguments)]
        with contextlib.suppress(Exception):  # it may refuse NumPy arrays
            self.apply(instance, *call_arguments)
        same = [snapshot(v) for v in arrays_of(call_arguments)] == before
        message = "the call changed an array of its caller in place"
        check(same, "call", message, "`x += y`: NumPy arrays change in place")


@guard
class PytreePurity(PytreeSuite):
    """P12 for pytrees."""

    def test_p12_a_cold_call_inside_jit_leaves_nothing_behind(self) -> None:
        instance, arguments = self.example()
        name = type(instance).__name__
        clear_caches(instance)
        before = snapshot(instance, identity=True)
        with doing(name, "a call inside jit, to which the instance is no argument,"):
            jax.eval_shape(lambda *arguments: self.apply(instance, *arguments), *arguments)
        for place, value in reachable(instance, name):
            message = "a tracer was left behind by a call inside jit"
            check(not isinstance(value, Tracer), place, message)
        same = snapshot(instance, identity=True) == before
        check(same, name, "a call inside jit changed what the instance holds")
        with doing(name, "the eager call after a first call inside a jit"):
            eager = self.apply(instance, *arguments)
            got = self.compiled_use()(instance, *arguments)
            message = "after a first call inside jit, jit gives {}, eager {}"
            check_close(name, message, got, eager)
        same = snapshot(instance, identity=True) == before
        check(same, name, "an eager call changed what the instance holds")

    def test_p12_a_cold_call_inside_jit_leaves_no_tracer_in_globals(self) -> None:
        instance, arguments = self.example()
        cls = type(instance)
        source = getattr(sys.modules.get(cls.__module__), "__file__", None)
        if not source or "<locals>" in cls.__qualname__:
            pytest.skip("the class is not at the top of a module")
        fresh: Any = None
        with contextlib.suppress(Exception):  # a module that cannot be run twice
            fresh = second_class(cls, source)
            # Before any call, no cache of the module holds anything.
            cold = clone_as(fresh, instance)
            jax.eval_shape(lambda *arguments: self.apply(cold, *arguments), *arguments)
        if fresh is None:
            pytest.skip("the module cannot be run twice")
        held = getattr(inspect.unwrap(fresh.__call__), "__globals__", {})
        check_caches_hold_no_tracer([*held.items(), *vars(fresh).items()])

    def test_p12_reading_properties_changes_nothing(self) -> None:
        instance = self.make(0)
        cached = functools.cached_property
        names = [
            name.rpartition(".")[2]
            for name, value in class_attributes(instance)
            if isinstance(value, property | cached)
        ]
        before = snapshot(instance, identity=True)
        for name in names:
            with contextlib.suppress(Exception), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                read(instance, name)
            same = snapshot(instance, identity=True) == before
            message = "reading this property changed what the instance holds"
            check(same, name, message, "functools.cached_property: write `property`")

    def test_p12_draws_use_a_key_that_is_given(self) -> None:
        self.need_call()
        instance, arguments = self.cached_instance(), self.arguments(0)
        settings = [v for _, _, aux in nodes(instance) for v in parts_of(aux)]
        held = jax.tree.leaves((instance, arguments))
        if not any(map(is_key, held)) and any(type(v) is int for v in settings):
            not_applicable("a static value may be the seed")
        jaxpr = self.traced_call().jaxpr
        wrong = list(constant_draws(jaxpr, set(jaxpr.invars)))
        message = f"{len(wrong)} of its draws depend on nothing that it is given"
        hint = "a constant key, as `jax.random.key(0)`: the same noise in every call"
        check(not wrong, "call", message, hint)

    def test_p12_calls_do_not_depend_on_earlier_calls(self) -> None:
        instance, arguments = self.example()
        held = [value for _, value in mutables(arguments)]
        before = [snapshot(value, identity=True) for value in held]
        first = without_functions(self.call(instance, *arguments))
        same = [snapshot(value, identity=True) for value in held] == before
        check(same, "call", "the call changed its arguments in place")
        self.apply(instance, *self.arguments(1))
        self.apply(self.make(1), *self.arguments(1))
        again = self.apply(instance, *self.arguments(0))
        check_close("call", "the same call gave {}, and later {}", first, again)


def read(instance: Any, name: str) -> Any:
    """An attribute, computed without compiling where it needs no values."""
    try:
        return jax.eval_shape(lambda: arrays_of(getattr(instance, name)))
    except NEEDS_VALUES:
        return getattr(instance, name)
