"""P6: one trace for a configuration."""

import contextlib
from collections.abc import Iterator
from typing import Any

import jax
import pytest

from ...engine.applicability import OTHER, applies_where, not_applicable
from ...engine.runner import guard
from ...inspect.trees import avals, structure
from ...report import Law, check, doing
from ...suites.training import Training
from ...trace.programs import Compiled
from ...values.randomize import randomize

LAW = Law(
    number="P6",
    name="one trace",
    statement="One trace serves all instances of a configuration, also after a round trip and a training step; another configuration is traced anew, and a call compiles nothing anew.",
    protects="Recompilation: jit traces again whenever the tree structure, a shape, a dtype or a weak type is another. No error says so; training is slow.",
    mistake="A static value is new in each instance, or a leaf changes its dtype, weak type or Python type along the way.",
    fix="Make static values equal by value, keep dtypes fixed in updates, and keep settings in the treedef.",
    severity="cost",
    rests_on=("test_p02_leaves_are_", "test_p03_round_trip", "test_p05_aux", "test_p05_no_leaf"),
)


@guard
class OneTrace(Training):
    """P6."""

    def test_p06_one_trace_serves_all_instances(self) -> None:
        compiled, arguments = self.compiled_use(), self.arguments(0)
        for what, instance in self._instances_of_one_configuration():
            with doing(what, "the compiled call"):
                compiled(instance, *self.arguments(0))
            message = f"{what} was traced anew, though the configuration is the same"
            once = compiled.traces_of(arguments) == 1
            check(once, type(instance).__name__, message)

    def _instances_of_one_configuration(self) -> Iterator[tuple[str, Any]]:
        yield "the first instance", self.cached_instance()
        yield "a second instance", self.cached_instance(1)
        yield "a round trip", jax.tree.map(lambda leaf: leaf, self.cached_instance())
        try:
            trained, _ = self.training_example()
        except pytest.skip.Exception:
            return
        yield "an instance after a training step", self.stepped(trained)

    @applies_where(OTHER)
    def test_p06_another_configuration_is_traced_anew(self) -> None:
        if self.other is None:
            not_applicable("no other configuration is declared")
        other = randomize(self.built_abstractly({**self.inputs(0), **self.other}), 1)
        instance = self.cached_instance()
        name = f"{type(instance).__name__} with {self.other}"
        same = structure(other) == structure(instance) and avals(other) == avals(instance)
        message = "neither its treedef nor its leaves tell it from the first configuration"
        check(not same, name, message, "a setting that is not stored as static")
        compiled, arguments = Compiled(self.use, self.mixed), self.arguments(0)
        compiled.shapes(instance, *arguments)
        with contextlib.suppress(Exception):  # the arguments need not fit it
            compiled.shapes(other, *arguments)
        message = "a compiled call takes it for an instance of the first configuration"
        check(compiled.traces_of(arguments) == 2, name, message)
