"""Tests of `TableFlag`."""

from typing import Any, ClassVar

from pytree_laws import Leaf, Output, PytreeLaws, sample

from table_flag import TableFlag


class TestTableFlag(PytreeLaws):
    """The pytree laws on `TableFlag`."""

    leaves = (
        Leaf("table.a", "param", (), value=42.0),
        Leaf("table.b", "param", ()),
        Leaf("attr", "param", ()),
    )
    static: ClassVar = {
        "static": 3,
    }
    other: ClassVar = {
        "static": 4,
    }
    rejected = (
        ({"static": 2.5}, TypeError),
        ({"static": True}, TypeError),
    )
    kept = ("table", "attr")
    used = ("static",)
    returns = (Output((2,)),)
    takes_dtype = True

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "table": {"b": sample(seed, ()), "a": sample(seed + 10, ())},
            "attr": sample(seed + 1, ()),
            "static": 3,
        }

    def build(self, **inputs: Any) -> TableFlag:
        return TableFlag(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed + 50, (2,)),)

    def call(self, instance: Any, *arguments: Any) -> Any:
        (x,) = arguments
        return instance(x)
