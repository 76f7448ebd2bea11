"""Tests of `Belief`."""

from typing import Any, ClassVar

from pytree_laws import Leaf, PytreeLaws, sample

from belief import Belief


class TestBelief(PytreeLaws):
    """The pytree laws on `Belief`."""

    leaves = (
        Leaf("mean", "data", (2,)),
        Leaf("covariance", "data", (2, 2)),
        Leaf("log_likelihood", "data", ()),
    )
    static: ClassVar = {}
    kept = ("mean", "covariance", "log_likelihood")

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "mean": sample(seed, (2,)),
            "covariance": sample(seed + 1, (2, 2)),
            "log_likelihood": sample(seed + 2, ()),
        }

    def build(self, **inputs: Any) -> Belief:
        return Belief(**inputs)
