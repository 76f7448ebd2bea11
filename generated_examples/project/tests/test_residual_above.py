"""Tests of `ResidualAbove`."""

from typing import Any, ClassVar

from pytree_laws import Leaf, Output, sample
from pytree_laws.closure import ClosureLaws

from example_study.residual_above import ResidualAbove


class TestResidualAbove(ClosureLaws):
    """The pytree laws on `ResidualAbove`, and the laws of closures."""

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
    lower_for = ("cuda", "rocm", "tpu")

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "limit": sample(seed, ()),
            "steps": sample(seed + 1, (), "int32"),
            "example": self.arguments(seed),
        }

    def build(self, **inputs: Any) -> ResidualAbove:
        return ResidualAbove.create(**inputs)

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
