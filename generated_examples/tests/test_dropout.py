"""Tests of `Dropout`."""

from typing import Any, ClassVar

from pytree_laws import Leaf, Output, PytreeLaws, sample

from dropout import Dropout


class TestDropout(PytreeLaws):
    """The pytree laws on `Dropout`."""

    leaves = (
        Leaf("p", "python", value=0.3, stopped=True),
        Leaf("inference", "python", value=False),
    )
    static: ClassVar = {}
    defaults: ClassVar = {"__init__.p": 0.5}
    returns = (Output((13, 11)),)
    invariants = ("mean over keys kept",)

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "p": 0.3,
        }

    def build(self, **inputs: Any) -> Dropout:
        return Dropout(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (
            sample(seed, (13, 11)),
            sample(seed + 1, (), "key"),
        )

    def call(self, instance: Any, *arguments: Any) -> Any:
        x, key = arguments
        return instance(x, key=key)
