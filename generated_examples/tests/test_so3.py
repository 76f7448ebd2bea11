"""Tests of `SO3`."""

from typing import Any, ClassVar

import jax.numpy as jnp
from pytree_laws import Leaf, Method, Output, PytreeLaws, holds, sample

from so3 import SO3


class TestSO3(PytreeLaws):
    """The pytree laws on `SO3`."""

    leaves = (Leaf("matrix", "param", (3, 3)),)
    static: ClassVar = {}
    kept = ("matrix",)
    returns = (Output((3,)),)
    methods = (
        Method("exp", lambda seed: (sample(seed + 50, (3,)),)),
        Method("log", returns=(Output((3,)),), used=("matrix",)),
        Method(
            "__matmul__",
            lambda seed: (
                SO3.create(
                    matrix=jnp.asarray(
                        [[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]]
                    )
                ),
            ),
        ),
    )

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "matrix": jnp.asarray(
                [[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]]
            ),
        }

    def build(self, **inputs: Any) -> SO3:
        return SO3.create(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed + 50, (3,)),)

    def call(self, instance: Any, *arguments: Any) -> Any:
        (point,) = arguments
        return instance.apply(point)

    @holds
    def test_the_logarithm_is_undone(self, instance: Any, *arguments: Any) -> Any:
        return self.close(SO3.exp(instance.log()).matrix, instance.matrix)
