"""Tests of `SolverTerm`."""

from typing import Any, ClassVar

from pytree_laws import Leaf, Output, sample
from pytree_laws.closure import ClosureLaws

from solver_term import SolverTerm


class TestSolverTerm(ClosureLaws):
    """The pytree laws on `SolverTerm`, and the laws of closures."""

    leaves = (
        Leaf("matrix", "param", (2, 2)),
        Leaf("damping", "param", (2,)),
        Leaf("frequency", "param", ()),
    )
    static: ClassVar = {}
    other: ClassVar = {
        "example": (),
    }
    rejected = (({"damping": sample(0, (3,))}, ValueError),)
    kept = ("matrix", "damping", "frequency")
    returns = (Output((2,)),)
    carry = 1
    saves_whole = True

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "matrix": sample(seed, (2, 2)),
            "damping": sample(seed + 1, (2,)),
            "frequency": sample(seed + 2, ()),
            "example": self.arguments(seed),
        }

    def build(self, **inputs: Any) -> SolverTerm:
        return SolverTerm.create(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (
            sample(seed + 50, ()),
            sample(seed + 51, (2,)),
            sample(seed + 52, (2,)),
        )

    def call(self, instance: Any, *arguments: Any) -> Any:
        t, y, args = arguments
        return instance(t, y, args)
