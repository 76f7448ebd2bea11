"""Tests of `Centre`."""

from typing import Any, ClassVar

from flax import nnx
from pytree_laws import Output, sample
from pytree_laws.nnx import NnxLaws, Var

from example_study.centre import Centre
from example_study.nnx_state import map_variables


class TestCentre(NnxLaws):
    """The laws of NNX modules on `Centre`."""

    variables = (
        Var("mix", nnx.Param, (2, 2), std=0.7071),
        Var("mean", nnx.BatchStat, (2,), value=0.0, flows=True),
    )
    static: ClassVar = {
        "momentum": 0.9,
    }
    other: ClassVar = {
        "size": 3,
    }
    rejected = (
        ({"momentum": -0.001}, ValueError),
        ({"momentum": 1.0}, ValueError),
        ({"momentum": float("nan")}, TypeError),
    )
    accepted = (
        {"momentum": 0.0},
        {"momentum": 0.999},
    )
    drawn = ("mix",)
    used = ("momentum", "mean")
    returns = (Output((2,)),)
    updates = ("mean",)
    map_variables = staticmethod(map_variables)
    takes_dtype = True
    lower_for = ("cuda", "rocm", "tpu")

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "size": 2,
            "rngs": nnx.Rngs(seed),
        }

    def build(self, **inputs: Any) -> Centre:
        return Centre(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (2,)),)

    def call(self, instance: Any, *arguments: Any) -> Any:
        (x,) = arguments
        return instance(x)
