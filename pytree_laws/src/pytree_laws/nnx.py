"""The laws of NNX modules: tests of what every `flax.nnx.Module` must hold.

Subclass `NnxLaws` in a test file, declare the Variables, and say how to build and call the
module. pytest then runs every law on that module:

    class TestCounter(NnxLaws):
        variables = (
            Var("scale", nnx.Param, (3,)),
            Var("calls", nnx.BatchStat, (), "int32"),
        )
        updates = ("calls",)

        def inputs(self, seed):
            return {"size": 3, "rngs": nnx.Rngs(seed)}

        def build(self, **inputs):
            return Counter(**inputs)

        def arguments(self, seed):
            return (sample(seed, (3,)),)

        def call(self, counter, *arguments):
            return counter(*arguments)

The laws are the pytree laws, as far as Variables can answer them. P4 is left out, since Flax makes
the key paths of its modules. P22 is left out, since Flax stacks layers by `nnx.vmap` and `nnx.scan`.
"""

from collections.abc import Mapping

from .engine.registry import with_tests_of
from .kinds.nnx.suite import NnxSuite
from .kinds.nnx.variables import Var
from .laws import CHECKS
from .report import Law

__all__ = ["LAWS", "NnxLaws", "Var"]


@with_tests_of(*CHECKS)
class NnxLaws(NnxSuite):
    """The suite of an NNX module, with all its laws. Subclass it with a name that starts with `Test`."""


LAWS: Mapping[str, Law] = NnxLaws.laws_by_number
