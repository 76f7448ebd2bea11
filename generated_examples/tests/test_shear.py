"""Tests of `Shear`."""

from typing import Any

from pytree_laws import Method, PytreeLaws, sample

from shear import Shear


class TestShear(PytreeLaws):
    """The laws on `Shear`."""

    methods = (
        Method("of_angle", lambda seed: (sample(seed, (2,)), sample(seed + 1, (2,)))),
        Method("__neg__"),
        Method("apply", lambda seed: (sample(seed + 2, (5, 2)),)),
    )
    guessed = ("of_angle",)
    severity = "fault"

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "g1": 0.1 * sample(seed),
            "g2": 0.1 * sample(seed + 1),
        }

    def build(self, **inputs: Any) -> Shear:
        return Shear(**inputs)
