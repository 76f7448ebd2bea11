"""Tests of `RandomFeatures`."""

from typing import Any, ClassVar

from pytree_laws import Leaf, Output, PytreeLaws, sample

from random_features import RandomFeatures


class TestRandomFeatures(PytreeLaws):
    """The pytree laws on `RandomFeatures`."""

    leaves = (
        Leaf("frequency_key", "key", (), "key"),
        Leaf("width", "param", (2,)),
    )
    static: ClassVar = {
        "features": 5,
    }
    other: ClassVar = {
        "features": 4,
    }
    rejected = (
        ({"features": 0}, ValueError),
        ({"features": 2.5}, TypeError),
        ({"features": True}, TypeError),
    )
    accepted = ({"features": 1},)
    kept = ("frequency_key", "width")
    used = ("features",)
    returns = (Output((10,)),)
    saves_whole = True

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "frequency_key": sample(seed, (), "key"),
            "width": sample(seed + 1, (2,)),
            "features": 5,
        }

    def build(self, **inputs: Any) -> RandomFeatures:
        return RandomFeatures.create(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed + 50, (2,)),)

    def call(self, instance: Any, *arguments: Any) -> Any:
        (x,) = arguments
        return instance(x)
