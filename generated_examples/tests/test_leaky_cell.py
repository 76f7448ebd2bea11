"""Tests of `LeakyCell`."""

from typing import Any, ClassVar

import jax
from pytree_laws import Leaf, Method, Output, PytreeLaws, sample

from leaky_cell import LeakyCell


class TestLeakyCell(PytreeLaws):
    """The pytree laws on `LeakyCell`."""

    leaves = (
        Leaf("weight_in", "param", (2, 3), std=0.5774),
        Leaf("weight_hidden", "param", (2, 2), std=0.7071),
        Leaf("bias", "param", (2,), value=0.0),
        Leaf("logit", "param", (2,), std=1.0),
    )
    static: ClassVar = {}
    other: ClassVar = {
        "hidden_size": 5,
    }
    drawn = ("weight_in", "weight_hidden", "logit")
    returns = (Output((2,)),)
    carry = 0
    methods = (Method("rate", returns=(Output((2,)),)),)
    takes_dtype = True

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "hidden_size": 2,
            "in_size": 3,
            "key": jax.random.key(seed),
        }

    def build(self, **inputs: Any) -> LeakyCell:
        return LeakyCell.create(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (
            sample(seed, (2,)),
            sample(seed + 1, (3,)),
        )

    def call(self, instance: Any, *arguments: Any) -> Any:
        hidden, x = arguments
        return instance(hidden, x)
