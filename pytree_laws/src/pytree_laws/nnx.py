"""The laws of NNX modules: what every `flax.nnx.Module` must hold, as tests.

Subclass `NnxLaws` in a test file, declare the Variables, and say how to build and call the
module; pytest then runs every law on it:

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

The laws are the pytree laws, as far as Variables can answer them. P4 is about key paths, which Flax makes for its
modules, and is left out; so is P22, for Flax stacks layers itself, with `nnx.vmap` and `nnx.scan`.
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
    """All laws of NNX modules. Subclass it with a name that starts with `Test`."""


LAWS: Mapping[str, Law] = NnxLaws.laws_by_number
