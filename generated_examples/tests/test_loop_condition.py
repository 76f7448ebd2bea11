"""Tests of `LoopCondition`."""

from typing import Any, ClassVar

from pytree_laws import Leaf, Output, sample
from pytree_laws.closure import ClosureLaws

from loop_condition import LoopCondition


class TestLoopCondition(ClosureLaws):
    """The pytree laws on `LoopCondition`, and the laws of closures."""

    leaves = (
        Leaf("limit", "buffer", ()),
        Leaf("steps", "buffer", (), "int32"),
    )
    static: ClassVar = {}
    other: ClassVar = {
        "example": (),
    }
    kept = ("limit", "steps")
    used = ("limit",)
    returns = (Output((), "bool"),)

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "limit": sample(seed, ()),
            "steps": sample(seed + 1, (), "int32"),
            "example": self.arguments(seed),
        }

    def build(self, **inputs: Any) -> LoopCondition:
        return LoopCondition.create(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (
            (
                sample(seed + 50, (), "int32"),
                sample(seed + 60, (2,)),
            ),
        )

    def call(self, instance: Any, *arguments: Any) -> Any:
        (value,) = arguments
        return instance(value)
