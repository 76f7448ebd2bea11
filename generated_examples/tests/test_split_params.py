"""Tests of `SplitParams`."""

from typing import Any, ClassVar

from pytree_laws import Leaf, Output, PytreeLaws, sample

from split_params import SplitParams


class TestSplitParams(PytreeLaws):
    """The pytree laws on `SplitParams`."""

    leaves = (
        Leaf("element1", "param", ()),
        Leaf("element2", "param", ()),
        Leaf("element3", "param", ()),
    )
    static: ClassVar = {}
    filters: ClassVar = {
        "select_small": ("element1", "element2"),
    }
    kept = ("element1", "element2", "element3")
    returns = (Output((2,)),)

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "element1": sample(seed, ()),
            "element2": sample(seed + 1, ()),
            "element3": sample(seed + 2, ()),
        }

    def build(self, **inputs: Any) -> SplitParams:
        return SplitParams.create(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed + 50, (2,)),)

    def call(self, instance: Any, *arguments: Any) -> Any:
        (x,) = arguments
        return instance(x)
