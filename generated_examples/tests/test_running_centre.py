"""Tests of `RunningCentre`."""

from typing import Any, ClassVar

import equinox as eqx
import jax
from pytree_laws import Leaf, Output, sample
from pytree_laws.state import StateLaws

from running_centre import RunningCentre


class TestRunningCentre(StateLaws):
    """The pytree laws on `RunningCentre`."""

    leaves = (
        Leaf("gain", "param", (2,), value=1.0),
        Leaf("inference", "python", value=False),
    )
    states = (
        Leaf("mean", "state", (2,), value=0.0),
        Leaf("variance", "state", (2,), value=1.0),
    )
    static: ClassVar = {
        "decay": 0.9,
    }
    other: ClassVar = {
        "size": 3,
    }
    rejected = (
        ({"decay": 1.0}, ValueError),
        ({"decay": 0.0}, ValueError),
        ({"decay": float("nan")}, TypeError),
    )
    accepted = (
        {"decay": 0.001},
        {"decay": 0.999},
    )
    returns = (
        Output((3, 2)),
        Output((2,)),
        Output((2,)),
    )
    takes_dtype = True

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "size": 2,
        }

    def build(self, **inputs: Any) -> RunningCentre:
        return eqx.nn.make_with_state(RunningCentre.create)(**inputs)[0]

    def state(self, seed: int) -> eqx.nn.State:
        return eqx.nn.make_with_state(RunningCentre.create)(**self.inputs(seed))[1]

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (
            sample(seed, (3, 2)),
            self.state(seed),
        )

    def call(self, instance: Any, *arguments: Any) -> Any:
        x, state = arguments
        return jax.vmap(
            instance, in_axes=(0, None), out_axes=(0, None), axis_name="batch"
        )(x, state)
