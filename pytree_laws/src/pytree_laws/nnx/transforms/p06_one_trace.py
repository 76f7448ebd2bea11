"""P6 for NNX modules: one trace for a configuration."""

from collections.abc import Iterator
from typing import Any

import pytest
from flax import nnx

from ...engine.applicability import OTHER, applies_where
from ...engine.runner import guard
from ...report import ANY_ERROR, Law, check
from ..subject.programs import compiled_call, compiled_step_of_state
from ..subject.training import Training
from ..subject.variables import closes, shapes_of

LAW = Law(
    number="P6",
    name="one trace",
    statement="One trace serves all modules of a configuration, also after a call and a training step; another configuration is traced anew, and a call compiles nothing anew.",
    mistake="A static attribute is new in each module or changes in the call, or an update changes a dtype.",
    fix="Keep what changes in Variables, and assign with `self.variable[...] = value`, which keeps shape and dtype.",
    lesser={"compiles_nothing": "cost"},
    rests_on=("test_p02_the_state_is_", "test_p02_variables_are_", "test_p03_split"),
)


@guard
class NnxOneTrace(Training):
    """P6 for NNX modules."""

    def test_p06_one_trace_serves_all_modules(self) -> None:
        first, arguments = self.cached_example()
        for jitted in (compiled_call(self), compiled_step_of_state(self)):
            jitted.run(first, *arguments)
            before = len(jitted.traces)
            for what, module in self._modules_of_one_configuration():
                jitted.run(module, *arguments)
                message = f"under {jitted.name} {what} was traced anew"
                check(len(jitted.traces) == before, type(first).__name__, message)

    def _modules_of_one_configuration(self) -> Iterator[tuple[str, Any]]:
        yield "a second module", self.cached_instance(1)
        called, arguments = self.example()
        self.call(called, *arguments)
        yield "a module after a call", called
        try:
            trained = self.train(self.training_example(), 1)
        except pytest.skip.Exception:
            return
        yield "a module after a training step", trained

    @applies_where(OTHER)
    def test_p06_another_configuration_is_traced_anew(self) -> None:
        other, (instance, arguments) = self.make_other(), self.cached_example()
        name = f"{type(instance).__name__} with {self.other}"
        same = nnx.graphdef(other) == nnx.graphdef(instance)
        same = same and shapes_of(other) == shapes_of(instance)
        message = "neither graph definition nor state tell it from the first configuration"
        check(not same, name, message, "a setting that is not stored")
        compiled = self.by_nnx_jit()
        compiled(instance, *arguments)
        try:
            eager = self.run(other, *arguments)
        except ANY_ERROR:
            return  # the example arguments do not fit the other configuration
        got = compiled(other, *arguments)
        message = f"compiled it gives {got}, eager {eager}"
        check(closes(got, eager), name, message)
