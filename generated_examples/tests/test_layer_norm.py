"""Tests of `LayerNorm`."""

from typing import Any, ClassVar

from pytree_laws import Leaf, PytreeLaws, sample

from layer_norm import LayerNorm


class TestLayerNorm(PytreeLaws):
    """The pytree laws on `LayerNorm`."""

    leaves = (
        Leaf("weight", "param", (2, 3), value=1.0),
        Leaf("bias", "param", (2, 3), value=0.0),
    )
    static: ClassVar = {
        "shape": ...,
        "eps": 1e-5,
        "use_weight": ...,
        "use_bias": ...,
    }
    other: ClassVar = {
        "eps": 1e-5 + 0.25,
    }
    rejected = (
        ({"eps": float("nan")}, TypeError),
        ({"use_weight": 1j}, TypeError),
        ({"use_weight": 1}, TypeError),
        ({"use_bias": 1j}, TypeError),
        ({"use_bias": 1}, TypeError),
    )
    used = ("eps",)
    absent = (
        {"use_weight": False},
        {"use_bias": False},
        {"use_weight": False, "use_bias": False},
    )
    ignores_key = True
    takes_dtype = True
    invariants = (
        "mean 0",
        "variance 1",
        "invariant under shift",
        "invariant under scale",
    )

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "shape": (2, 3),
        }

    def build(self, **inputs: Any) -> LayerNorm:
        return LayerNorm(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (
            sample(seed, (2, 3)),
            sample(seed + 1, (), "key"),
        )

    def call(self, instance: Any, *arguments: Any) -> Any:
        x, key = arguments
        return instance(x, key=key)
