"""Tests of `GRUCell`."""

from typing import Any, ClassVar

import jax
from pytree_laws import Leaf, Output, PytreeLaws, sample

from gru_cell import GRUCell


class TestGRUCell(PytreeLaws):
    """The pytree laws on `GRUCell`."""

    leaves = (
        Leaf("weight_ih", "param", (6, 3), std=0.4082),
        Leaf("weight_hh", "param", (6, 2), std=0.4082),
        Leaf("bias", "param", (6,), std=0.4082),
        Leaf("bias_n", "param", (2,), std=0.4082),
    )
    static: ClassVar = {
        "input_size": 3,
        "hidden_size": 2,
        "use_bias": ...,
    }
    other: ClassVar = {
        "input_size": 4,
    }
    rejected = (
        ({"input_size": 2.5}, TypeError),
        ({"input_size": True}, TypeError),
        ({"hidden_size": 2.5}, TypeError),
        ({"hidden_size": True}, TypeError),
        ({"use_bias": 1j}, TypeError),
        ({"use_bias": 1}, TypeError),
    )
    drawn = ("weight_ih", "weight_hh", "bias", "bias_n")
    left_out: ClassVar = {"use_bias": ("bias", "bias_n")}
    absent = ({"use_bias": False},)
    returns = (Output((2,)),)
    carry = 1
    ignores_key = True
    takes_dtype = True

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "input_size": 3,
            "hidden_size": 2,
            "key": jax.random.key(seed),
        }

    def build(self, **inputs: Any) -> GRUCell:
        return GRUCell(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (
            sample(seed, (3,)),
            sample(seed + 1, (2,)),
            sample(seed + 2, (), "key"),
        )

    def call(self, instance: Any, *arguments: Any) -> Any:
        input, hidden, key = arguments
        return instance(input, hidden, key=key)
