"""The pytree laws: tests of what every class that jax flattens must hold.

Subclass `PytreeLaws` in a test file, declare the leaves, and say how to build and call the
class. pytest then runs every law on that class. To exempt a class from a law, override the
test like any method, or deselect the test with `-k`:

    class TestAffine(PytreeLaws):
        leaves = (Leaf("weight", "param", (3, 2)), Leaf("bias", "param", (3,)))
        returns = (Output((3,)),)

        def inputs(self, seed):
            return {"out_size": 3, "in_size": 2, "key": jax.random.key(seed)}

        def build(self, **inputs):
            return Affine.create(**inputs)

        def arguments(self, seed):
            return (sample(seed, (2,)),)

        def call(self, affine, *arguments):
            return affine(*arguments)

The laws infer from instances whatever a suite leaves undeclared, so that five lines are a suite:

    class TestAffine(PytreeLaws):
        def build(self, seed):
            return Affine.create(3, 2, key=jax.random.key(seed))

        def arguments(self, seed):
            return (sample(seed, (2,)),)

`check_pytree(build, arguments)` runs the laws without a suite, and returns a report.

A file in `laws` holds a law: its statement, the usual mistake behind a failure, the fix and the
tests. Suites of other kinds are modules at the top: `nnx`, `train_state`, `closure`, `state`,
`shared`, `abstract`. Every other module is private. Each room imports only from rooms before it:
`patches`, `inspect`, `trace`, `values`, `declare`, `sharding`, `engine`, `discover`, `snapshot`,
`kinds`, `laws`. The room `step` has the laws of training steps, and imports from neither `kinds`
nor `laws`. This module needs jax, numpy and pytest, and Equinox only for Equinox Modules.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .patches.wheel_bytecode import keep_bytecode

if TYPE_CHECKING:
    from .check import Report, check_pytree
    from .declare.cases import case
    from .declare.leaf_spec import Leaf, Output
    from .declare.methods import Method
    from .inspect.trees import unstacked
    from .laws import PytreeLaws
    from .laws.values.conditions import holds
    from .report import LawBroken
    from .step import StepLaws
    from .values.example_values import sample

__all__ = [
    "LawBroken",
    "Leaf",
    "Method",
    "Output",
    "PytreeLaws",
    "Report",
    "StepLaws",
    "case",
    "check_pytree",
    "holds",
    "sample",
    "unstacked",
]

_HOMES = {
    "LawBroken": "report",
    "Leaf": "declare.leaf_spec",
    "Method": "declare.methods",
    "Output": "declare.leaf_spec",
    "PytreeLaws": "laws",
    "Report": "check",
    "StepLaws": "step",
    "case": "declare.cases",
    "check_pytree": "check",
    "holds": "laws.values.conditions",
    "sample": "values.example_values",
    "unstacked": "inspect.trees",
}


def __getattr__(name: str) -> Any:
    """Import a name at its first use: pytest loads the plugin in every run, and jax is slow to import."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


keep_bytecode(__spec__.loader)
