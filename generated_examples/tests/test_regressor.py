"""Tests of `Regressor`."""

from typing import Any, ClassVar

import jax
from pytree_laws import Leaf, Output, PytreeLaws, sample

from regressor import Regressor
from whiten import Whiten


class TestRegressor(PytreeLaws):
    """The pytree laws on `Regressor`."""

    leaves = (
        Leaf("whiten", "module"),
        Leaf("hidden", "module"),
        Leaf("out", "module"),
    )
    static: ClassVar = {}
    other: ClassVar = {
        "size": 5,
    }
    drawn = ("hidden", "out")
    returns = (Output((1,)),)
    takes_dtype = True

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "whiten": Whiten.create(
                mean=sample(seed + 100, (2,)), deviation=sample(seed + 101, (2,))
            ),
            "size": 2,
            "hidden_size": 3,
            "key": jax.random.key(seed),
        }

    def build(self, **inputs: Any) -> Regressor:
        return Regressor.create(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (2,)),)

    def call(self, instance: Any, *arguments: Any) -> Any:
        (x,) = arguments
        return instance(x)
