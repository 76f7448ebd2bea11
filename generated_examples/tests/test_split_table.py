"""Tests of `SplitTable`."""

from typing import Any, ClassVar

from pytree_laws import Leaf, Output, PytreeLaws, sample

from split_table import SplitTable


class TestSplitTable(PytreeLaws):
    """The pytree laws on `SplitTable`."""

    leaves = (
        Leaf("gains", "param", (3,), value=1.0),
        Leaf("offsets", "param", (3,), value=0.0),
        Leaf("mask", "buffer", (3,), "bool"),
    )
    static: ClassVar = {}
    filters: ClassVar = {
        "select_first": ("gains",),
        "select_second": ("offsets", "mask"),
    }
    kept = ("mask",)
    used = ("mask",)
    returns = (Output((3,)),)
    takes_dtype = True

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "mask": sample(seed, (3,), "bool"),
        }

    def build(self, **inputs: Any) -> SplitTable:
        return SplitTable.create(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed + 50, (3,)),)

    def call(self, instance: Any, *arguments: Any) -> Any:
        (x,) = arguments
        return instance(x)
