"""Tests of `LowRankLinear`."""

from typing import Any, ClassVar

import jax
from pytree_laws import Leaf, Output, PytreeLaws, sample

from linear import Linear
from low_rank_linear import LowRankLinear


class TestLowRankLinear(PytreeLaws):
    """The pytree laws on `LowRankLinear`."""

    leaves = (
        Leaf("base", "module", frozen="freeze_base"),
        Leaf("down", "param", (2, 3), std=0.5774),
        Leaf("up", "param", (5, 2), value=0.0),
    )
    static: ClassVar = {
        "scale": 1.0,
        "freeze_base": True,
    }
    other: ClassVar = {
        "freeze_base": False,
    }
    rejected = (
        ({"scale": float("nan")}, TypeError),
        ({"freeze_base": 1j}, TypeError),
        ({"freeze_base": 1}, TypeError),
    )
    drawn = ("down",)
    used = ("scale",)
    returns = (Output((5,)),)
    takes_dtype = True

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "base": Linear(3, 5, key=jax.random.key(seed + 1)),
            "rank": 2,
            "in_features": 3,
            "out_features": 5,
            "key": jax.random.key(seed),
        }

    def build(self, **inputs: Any) -> LowRankLinear:
        return LowRankLinear.create(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3,)),)

    def call(self, instance: Any, *arguments: Any) -> Any:
        (x,) = arguments
        return instance(x)
