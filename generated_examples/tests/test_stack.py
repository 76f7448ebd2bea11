"""Tests of `Stack`."""

from typing import Any, ClassVar

import jax
import jax.numpy as jnp
from pytree_laws import Leaf, Output, PytreeLaws, sample

from stack import Stack


class TestStack(PytreeLaws):
    """The pytree laws on `Stack`."""

    leaves = (Leaf("layers", "module"),)
    static: ClassVar = {
        "depth": 2,
        "activation": jnp.tanh,
    }
    other: ClassVar = {
        "activation": jnp.sin,
    }
    rejected = (
        ({"depth": 0}, ValueError),
        ({"depth": 2.5}, TypeError),
        ({"depth": True}, TypeError),
        ({"activation": lambda x: x}, TypeError),
    )
    drawn = ("layers",)
    tuples = ("layers",)
    used = ("activation",)
    layers: ClassVar = {"layers": "depth"}
    returns = (Output((3,)),)
    saves_whole = True
    takes_dtype = True

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "size": 3,
            "key": jax.random.key(seed),
        }

    def build(self, **inputs: Any) -> Stack:
        return Stack.create(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3,)),)

    def call(self, instance: Any, *arguments: Any) -> Any:
        (x,) = arguments
        return instance(x)
