"""Tests of `Affine`."""

from typing import Any, ClassVar

import jax
from pytree_laws import Leaf, Output, PytreeLaws, sample

from affine import Affine


class TestAffine(PytreeLaws):
    """The pytree laws on `Affine`."""

    leaves = (
        Leaf("weight", "param", (2, 3), std=0.5774),
        Leaf("bias", "param", (2,), value=0.0),
    )
    static: ClassVar = {}
    other: ClassVar = {
        "use_bias": False,
    }
    drawn = ("weight",)
    left_out: ClassVar = {"use_bias": ("bias",)}
    absent = ({"use_bias": False},)
    returns = (Output((2,)),)
    takes_dtype = True

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "out_size": 2,
            "in_size": 3,
            "key": jax.random.key(seed),
        }

    def build(self, **inputs: Any) -> Affine:
        return Affine.create(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3,)),)

    def call(self, instance: Any, *arguments: Any) -> Any:
        (x,) = arguments
        return instance(x)
