"""Tests of `KeyCache`."""

from typing import Any, ClassVar

import jax
from pytree_laws import Leaf, Output, PytreeLaws, sample

from key_cache import KeyCache


class TestKeyCache(PytreeLaws):
    """The pytree laws on `KeyCache`."""

    leaves = (
        Leaf("to_query", "param", (2, 3), std=0.5774),
        Leaf("past_keys", "data", (5, 2)),
        Leaf("past_values", "data", (5, 2)),
        Leaf("mask", "buffer", (5,)),
    )
    static: ClassVar = {}
    other: ClassVar = {
        "in_size": 7,
    }
    rejected = (
        ({"past_values": sample(0, (6, 2))}, ValueError),
        ({"mask": sample(0, (6,))}, ValueError),
    )
    drawn = ("to_query",)
    kept = ("past_keys", "past_values", "mask")
    used = ("past_keys", "past_values", "mask")
    returns = (Output((2,)),)
    takes_dtype = True

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "in_size": 3,
            "past_keys": sample(seed + 1, (5, 2)),
            "past_values": sample(seed + 2, (5, 2)),
            "mask": sample(seed + 3, (5,)),
            "key": jax.random.key(seed),
        }

    def build(self, **inputs: Any) -> KeyCache:
        return KeyCache.create(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed + 50, (3,)),)

    def call(self, instance: Any, *arguments: Any) -> Any:
        (x,) = arguments
        return instance(x)
