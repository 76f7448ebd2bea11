"""Tests of `MLP`."""

from typing import Any, ClassVar

import jax
from pytree_laws import Leaf, Output, PytreeLaws, sample

from mlp import MLP


class TestMLP(PytreeLaws):
    """The pytree laws on `MLP`."""

    leaves = (
        Leaf("layers", "module"),
        Leaf("activation", "module"),
        Leaf("final_activation", "module"),
    )
    static: ClassVar = {
        "use_bias": True,
        "use_final_bias": True,
        "in_size": 3,
        "out_size": 2,
        "width_size": 5,
        "depth": 2,
        "scan": False,
    }
    other: ClassVar = {
        "width_size": 6,
    }
    rejected = (
        ({"use_bias": 1j}, TypeError),
        ({"use_bias": 1}, TypeError),
        ({"use_final_bias": 1j}, TypeError),
        ({"use_final_bias": 1}, TypeError),
        ({"in_size": 1j}, TypeError),
        ({"out_size": 1j}, TypeError),
        ({"width_size": 2.5}, TypeError),
        ({"width_size": True}, TypeError),
        ({"depth": 2.5}, TypeError),
        ({"depth": True}, TypeError),
        ({"scan": 1j}, TypeError),
        ({"scan": 1}, TypeError),
    )
    drawn = ("layers",)
    tuples = ("layers",)
    used = ("scan",)
    returns = (Output((2,)),)
    ignores_key = True
    takes_dtype = True

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "in_size": 3,
            "out_size": 2,
            "width_size": 5,
            "depth": 2,
            "key": jax.random.key(seed),
        }

    def build(self, **inputs: Any) -> MLP:
        return MLP(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (
            sample(seed, (3,)),
            sample(seed + 1, (), "key"),
        )

    def call(self, instance: Any, *arguments: Any) -> Any:
        x, key = arguments
        return instance(x, key=key)
