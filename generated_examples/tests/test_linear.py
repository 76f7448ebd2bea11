"""Tests of `Linear`."""

from typing import Any, ClassVar

import jax
from pytree_laws import Leaf, Output, PytreeLaws, sample

from linear import Linear


class TestLinear(PytreeLaws):
    """The pytree laws on `Linear`."""

    leaves = (
        Leaf("weight", "param", (2, 3), std=0.3333),
        Leaf("bias", "param", (2,), std=0.3333),
    )
    static: ClassVar = {
        "in_features": 3,
        "out_features": 2,
        "use_bias": ...,
    }
    other: ClassVar = {
        "use_bias": False,
    }
    rejected = (
        ({"in_features": 1j}, TypeError),
        ({"out_features": 1j}, TypeError),
        ({"use_bias": 1j}, TypeError),
        ({"use_bias": 1}, TypeError),
    )
    drawn = ("weight", "bias")
    absent = ({"use_bias": False},)
    returns = (Output((2,)),)
    ignores_key = True
    takes_dtype = True

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "in_features": 3,
            "out_features": 2,
            "key": jax.random.key(seed),
        }

    def build(self, **inputs: Any) -> Linear:
        return Linear(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (
            sample(seed, (3,)),
            sample(seed + 1, (), "key"),
        )

    def call(self, instance: Any, *arguments: Any) -> Any:
        x, key = arguments
        return instance(x, key=key)
