"""P12 for NNX modules: a call updates what is declared."""

import contextlib
import functools
import warnings
from typing import Any

from flax import nnx

from ...engine.applicability import not_applicable
from ...engine.runner import guard
from ...inspect.classes import is_of_library
from ...inspect.global_state import clear_caches
from ...inspect.references import check_caches_hold_no_tracer, mutables, snapshot
from ...inspect.trees import clone_as, is_under
from ...report import Fault, Law, check, doing
from ...trace.jaxprs import constant_draws
from ..subject.programs import compiled_call
from ..subject.suite import NnxSuite
from ..subject.variables import (
    all_settings,
    bits_of,
    changed,
    closes,
    own_nodes,
    twin_class,
    variables_of,
    with_setting,
)

LAW = Law(
    number="P12",
    name="purity",
    statement="A call updates the declared Variables and nothing else, in place, leaves no tracer behind, prints nothing, and draws from a key that it is given.",
    mistake="The call stores a value as an attribute or in the module, or appends to a list; a Variable that should be updated is updated on a copy, as inside of jax.jit; or a constant key is left over.",
    fix="Update through Variables, return what else has to be remembered, and draw from `rngs` or from an argument.",
    rests_on=("test_p02_the_state_is_", "test_p02_variables_are_", "test_p03_split"),
)


@guard
class NnxPurity(NnxSuite):
    """P12 for NNX modules."""

    def test_p12_a_call_updates_what_is_declared_and_nothing_else(self) -> None:
        instance, arguments = self.example()
        graphdef, before = nnx.graphdef(instance), bits_of(instance)
        self.call(instance, *arguments)
        moved = changed(before, bits_of(instance))
        here = variables_of(instance)
        for path in moved:
            free = path in here and self.may_update(path, here[path])
            check(free, path, "the call updated it, and it is not among `updates`")
        for path in self.updates:
            message = "declared among `updates`, and the call left it as it was"
            hint = "an update on a copy: inside of jax.jit, or of a merged module"
            check(any(is_under(one, path) for one in moved), path, message, hint)
        message = "the call changed the graph definition: it stored an attribute"
        same = nnx.graphdef(instance) == graphdef
        check(same, type(instance).__name__, message)

    def test_p12_a_call_keeps_its_variables(self) -> None:
        instance, arguments = self.example()
        before = variables_of(instance)
        self.call(instance, *arguments)
        after = variables_of(instance)
        for path in before.keys() & after.keys():
            message = "the call put another Variable in its place"
            hint = "`self.variable[...] = value`: who holds the first one sees no update"
            check(after[path] is before[path], path, message, hint)

    def test_p12_a_cold_call_leaves_no_tracer_behind(self) -> None:
        self.need_call()
        for place in compiled_call(self).left:
            message = "a tracer was left behind by a call under nnx.jit"
            raise Fault(place, message, "a value of the call that was kept")
        instance, arguments = self.example()
        clear_caches(instance)  # which the first eager call has filled
        self.trace_of(instance, arguments)
        with doing("call", "the eager call after one under jit"):
            self.call(instance, *arguments)

    def test_p12_a_cold_call_leaves_no_tracer_in_globals(self) -> None:
        instance, arguments = self.example()
        fresh = twin_class(type(instance))
        with contextlib.suppress(Exception):  # other laws fail on it
            # Before any call, no cache of the module holds anything.
            self.trace_of(clone_as(fresh, instance), arguments)
        functions = (value for value in vars(fresh).values() if hasattr(value, "__globals__"))
        held: dict[str, Any] = next((function.__globals__ for function in functions), {})
        check_caches_hold_no_tracer([*held.items(), *vars(fresh).items()])

    def test_p12_reading_properties_changes_nothing(self) -> None:
        instance = self.make(0)
        before = (bits_of(instance), nnx.graphdef(instance), snapshot(all_settings(instance)))
        for place, node in own_nodes(instance):
            for name in own_properties(type(node)):
                with contextlib.suppress(Exception), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    getattr(node, name)
                message = "reading this property changed what the module holds"
                hint = "functools.cached_property: write `property`"
                after = bits_of(instance), nnx.graphdef(instance)
                same = (*after, snapshot(all_settings(instance))) == before
                check(same, f"{place}.{name}".lstrip("."), message, hint)

    def test_p12_draws_use_a_key_that_is_given(self) -> None:
        instance, arguments = self.cached_example()
        jaxpr = self.traced_call().jaxpr
        wrong = list(constant_draws(jaxpr, set(jaxpr.invars)))
        if wrong and self._follows_an_int(instance, arguments):
            not_applicable("a static value may be the seed")
        message = f"{len(wrong)} of its draws depend on nothing that it is given"
        hint = "a constant key, as `jax.random.key(0)`: the same noise in every call"
        check(not wrong, "call", message, hint)

    def _follows_an_int(self, instance: Any, arguments: Any) -> bool:
        """Whether a static integer decides what the call computes, as a seed does."""
        before = self.trace_text(instance, arguments)
        settings = all_settings(instance).items()
        return any(
            self.trace_text(with_setting(instance, path, value + 1), arguments) != before
            for path, value in settings
            if type(value) is int
        )

    def test_p12_equal_states_give_equal_calls(self) -> None:
        instance, arguments = self.example()
        held = [value for _, value in mutables(arguments)]
        before = [snapshot(value, identity=True) for value in held]
        first = self.run(instance, *arguments)
        same = [snapshot(value, identity=True) for value in held] == before
        check(same, "call", "the call changed its arguments in place")
        self.run(instance, *self.arguments(1))
        self.run(self.make(1), *self.arguments(1))
        again = self.run(instance, *self.arguments(0))
        message = f"the same call on the same state gave {first}, and later {again}"
        check(closes(first, again), "call", message)


def own_properties(cls: type) -> list[str]:
    """The properties of a class, without those that a library brings."""
    kinds = (property, functools.cached_property)
    owners = [owner for owner in cls.__mro__ if not is_of_library(owner)]
    return [n for owner in owners for n, v in vars(owner).items() if isinstance(v, kinds)]
