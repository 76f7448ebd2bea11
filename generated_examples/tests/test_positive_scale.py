"""Tests of `PositiveScale`."""

from typing import Any, ClassVar

import jax
from pytree_laws import Leaf, Method, Output, PytreeLaws, sample

from positive_scale import PositiveScale


class TestPositiveScale(PytreeLaws):
    """The pytree laws on `PositiveScale`."""

    leaves = (Leaf("raw", "param", (2,), std=1.0),)
    static: ClassVar = {}
    other: ClassVar = {
        "size": 3,
    }
    drawn = ("raw",)
    returns = (Output((2,)),)
    methods = (Method("scale", returns=(Output((2,)),)),)
    takes_dtype = True

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "size": 2,
            "key": jax.random.key(seed),
        }

    def build(self, **inputs: Any) -> PositiveScale:
        return PositiveScale.create(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (2,)),)

    def call(self, instance: Any, *arguments: Any) -> Any:
        (x,) = arguments
        return instance(x)
