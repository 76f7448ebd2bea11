"""Tests of `Observation`."""

from typing import Any, ClassVar

from pytree_laws import Leaf, PytreeLaws, sample

from observation import Observation


class TestObservation(PytreeLaws):
    """The pytree laws on `Observation`."""

    leaves = (
        Leaf("value", "data", (2,)),
        Leaf("noise", "data", (2, 2)),
    )
    static: ClassVar = {
        "sensor": "sensor",
    }
    other: ClassVar = {
        "sensor": "sensor_other",
    }
    rejected = (
        ({"noise": sample(0, (3, 2))}, ValueError),
        ({"sensor": 1j}, TypeError),
    )
    kept = ("value", "noise")
    skips = ("p17_the_treedef_names: `register_dataclass` does not name the class",)

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "value": sample(seed, (2,)),
            "noise": sample(seed + 1, (2, 2)),
            "sensor": "sensor",
        }

    def build(self, **inputs: Any) -> Observation:
        return Observation.create(**inputs)
