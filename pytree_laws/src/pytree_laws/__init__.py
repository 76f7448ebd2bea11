"""The pytree laws: what every class that jax flattens must hold, as tests.

Subclass `PytreeLaws` in a test file, declare the leaves, and say how to build and call the
class; pytest then runs every law on it. A law that should not hold for a class is
overridden like any method, or deselected with `-k`:

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

What is not declared is found from instances, so that five lines are a suite:

    class TestAffine(PytreeLaws):
        def build(self, seed):
            return Affine.create(3, 2, key=jax.random.key(seed))

        def arguments(self, seed):
            return (sample(seed, (2,)),)

`check_pytree(build, arguments)` runs the laws without a suite, and gives a report.

Each law is a file in `laws`, with its statement, the usual mistake behind a failure, its fix
and its tests. Suites for more than pytrees are modules at the top: `nnx`, `train_state`,
`closure`, `state`, `shared`, `abstract`. Everything else is private by its place. The rooms,
each of which imports only from those before it: `patches`, `inspect`, `trace`, `values`,
`declare`, `engine`, `discover`, `suites`, `snapshot`, `laws`. What is imported here needs jax,
numpy and pytest, and Equinox only where the class is an Equinox Module.
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
    """Import a name when it is first used, since pytest loads the plugin in every run and jax takes long."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


keep_bytecode(__spec__.loader)
