"""Tests of `Smooth`."""

from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from pytree_laws import Leaf, PytreeLaws, sample

from padding import Boundary, Padding
from smooth import Smooth


class TestSmooth(PytreeLaws):
    """The pytree laws on `Smooth`."""

    leaves = (Leaf("taps", "param", (2,), std=0.2887),)
    static: ClassVar = {
        "padding": Padding(2),
        "accumulate": np.dtype(jnp.float32),
        "kept": (1, None, 2),
        "gain": 1.0,
    }
    other: ClassVar = {
        "padding": Padding(2, Boundary.WRAP),
    }
    rejected = (
        ({"gain": 0.0}, ValueError),
        ({"padding": 1j}, TypeError),
        ({"accumulate": 1j}, TypeError),
        ({"kept": 1j}, TypeError),
        ({"gain": float("nan")}, TypeError),
    )
    accepted = ({"gain": 0.001},)
    drawn = ("taps",)
    used = ("accumulate", "kept", "gain")
    takes_dtype = True

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "width": 2,
            "padding": Padding(2),
            "kept": slice(1, None, 2),
            "key": jax.random.key(seed),
        }

    def build(self, **inputs: Any) -> Smooth:
        return Smooth.create(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (5,)),)

    def call(self, instance: Any, *arguments: Any) -> Any:
        (x,) = arguments
        return instance(x)
