"""Tests of `MaxNorm`."""

from typing import Any, ClassVar

from pytree_laws import Leaf, Output, PytreeLaws, sample

from max_norm import MaxNorm


class TestMaxNorm(PytreeLaws):
    """The pytree laws on `MaxNorm`."""

    leaves = (Leaf("gain", "param", (2,), value=1.0),)
    static: ClassVar = {
        "size": 2,
        "floor": 0.001,
    }
    other: ClassVar = {
        "size": 3,
    }
    rejected = (
        ({"floor": 0.0}, ValueError),
        ({"size": 2.5}, TypeError),
        ({"size": True}, TypeError),
        ({"floor": float("nan")}, TypeError),
    )
    accepted = ({"floor": 0.001},)
    used = ("floor",)
    returns = (Output((2,)),)
    takes_dtype = True
    invariants = (
        "invariant under scale",
        "equivariant under permutation",
    )

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "size": 2,
        }

    def build(self, **inputs: Any) -> MaxNorm:
        return MaxNorm.create(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (2,)),)

    def call(self, instance: Any, *arguments: Any) -> Any:
        (x,) = arguments
        return instance(x)
