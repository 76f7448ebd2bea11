"""Tests of `Whiten`."""

from typing import Any, ClassVar

from pytree_laws import Leaf, Output, PytreeLaws, sample

from whiten import Whiten


class TestWhiten(PytreeLaws):
    """The pytree laws on `Whiten`."""

    leaves = (
        Leaf("mean", "buffer", (2,)),
        Leaf("deviation", "buffer", (2,)),
        Leaf("gain", "param", (2,), value=1.0),
    )
    static: ClassVar = {
        "epsilon": 1e-6,
    }
    rejected = (
        ({"epsilon": -1.0}, ValueError),
        ({"epsilon": 0.0}, ValueError),
        ({"deviation": sample(0, (3,))}, ValueError),
        ({"epsilon": float("nan")}, TypeError),
    )
    accepted = ({"epsilon": 0.001},)
    kept = ("mean", "deviation")
    used = ("epsilon", "mean", "deviation")
    returns = (Output((2,)),)
    takes_dtype = True

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "mean": sample(seed, (2,)),
            "deviation": sample(seed + 1, (2,)),
        }

    def build(self, **inputs: Any) -> Whiten:
        return Whiten.create(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed + 50, (2,)),)

    def call(self, instance: Any, *arguments: Any) -> Any:
        (x,) = arguments
        return instance(x)
