"""P19 for NNX modules: what the call computes."""

from typing import Any

from flax import nnx

from ...inspect.trees import inexact_places, named_numbers
from ...laws.values.p19_snapshot import names_of
from ...report import Law
from ...values.randomize import randomize
from ..subject.programs import compiled_grads
from ..subject.training import Training
from ..subject.variables import copy_of

LAW = Law(
    number="P19",
    name="numbers",
    statement="Outputs, gradients and what methods give are those that were last recorded, on fixed examples and with flags at their other values; the call gives the values and dtypes of its reference in NumPy, on examples and on random values, in each dtype that is declared.",
    mistake="A sign, a transposition, an axis or a factor that is another than in the formula, or a promotion that the formula does not have.",
    fix="Compare both line by line at the first element that differs; record what is right anew; `tolerance` allows more rounding.",
)


class NnxRecord(Training):
    """What records of NNX modules hold."""

    def elsewhere(self, instance: Any) -> Any:
        graphdef, state = nnx.split(instance)
        return nnx.merge(graphdef, randomize(state, 2), copy=True)

    def copied(self, instance: Any) -> Any:
        return copy_of(instance)

    def called_with(self, instance: Any, arguments: Any) -> dict[str, Any]:
        output, after = self.by_jax_jit()(instance, *arguments)
        updated = {path: after[path] for path in self.updated() if path in after}
        told = {f"after the call {path}": value for path, value in updated.items()}
        return {**named_numbers("call", output), **told}

    def gradients(self, instance: Any, arguments: Any) -> dict[str, Any]:
        run, names = compiled_grads(self), names_of((), arguments)
        own, others, _ = run(*nnx.split(instance), *arguments)
        given = zip(inexact_places(arguments), others)
        return {**own, **{names[i]: grad for i, grad in given}}
