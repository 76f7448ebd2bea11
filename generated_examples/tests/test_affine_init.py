"""Tests of `AffineInit`."""

from typing import Any, ClassVar

import jax
from pytree_laws import Leaf, Output, PytreeLaws, sample

from affine_init import AffineInit


class TestAffineInit(PytreeLaws):
    """The pytree laws on `AffineInit`."""

    leaves = (
        Leaf("weight", "param", (2, 3), std=0.5774),
        Leaf("bias", "param", (2,), value=0.0),
    )
    static: ClassVar = {
        "in_size": 3,
        "out_size": 2,
        "use_bias": ...,
    }
    other: ClassVar = {
        "in_size": 4,
    }
    rejected = (
        ({"in_size": 2.5}, TypeError),
        ({"in_size": True}, TypeError),
        ({"out_size": 2.5}, TypeError),
        ({"out_size": True}, TypeError),
        ({"use_bias": 1j}, TypeError),
        ({"use_bias": 1}, TypeError),
    )
    drawn = ("weight",)
    left_out: ClassVar = {"use_bias": ("bias",)}
    absent = ({"use_bias": False},)
    returns = (Output((2,)),)
    ignores_key = True
    takes_dtype = True

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "in_size": 3,
            "out_size": 2,
            "key": jax.random.key(seed),
        }

    def build(self, **inputs: Any) -> AffineInit:
        return AffineInit(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (
            sample(seed, (3,)),
            sample(seed + 1, (), "key"),
        )

    def call(self, instance: Any, *arguments: Any) -> Any:
        x, key = arguments
        return instance(x, key=key)
