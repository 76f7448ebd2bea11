"""Tests of `NnxBlock`."""

from typing import Any, ClassVar

from flax import nnx
from pytree_laws import Output, sample
from pytree_laws.nnx import NnxLaws, Var

from nnx_block import Count, NnxBlock
from nnx_state import map_variables


class TestNnxBlock(NnxLaws):
    """The laws of NNX modules on `NnxBlock`."""

    variables = (
        Var("mix", nnx.Param, (3, 3), std=0.5774),
        Var("bias", nnx.Param, (3,), value=0.0),
        Var("mean", nnx.BatchStat, (3,), value=0.0, flows=True),
        Var("calls", Count, (), "int32", value=0),
        Var("layers", nnx.Module),
    )
    static: ClassVar = {
        "depth": 2,
        "momentum": 0.9,
    }
    other: ClassVar = {
        "use_bias": False,
    }
    rejected = (
        ({"depth": 0}, ValueError),
        ({"momentum": 1.0}, ValueError),
        ({"momentum": -0.001}, ValueError),
        ({"depth": 2.5}, TypeError),
        ({"depth": True}, TypeError),
        ({"momentum": float("nan")}, TypeError),
    )
    accepted = (
        {"momentum": 0.0},
        {"momentum": 0.999},
    )
    drawn = ("mix", "layers")
    used = ("momentum", "mean")
    left_out: ClassVar = {"use_bias": ("bias",)}
    layers: ClassVar = {"layers": "depth"}
    returns = (Output((3,)),)
    updates = ("mean", "calls")
    map_variables = staticmethod(map_variables)
    saves_whole = True
    takes_dtype = True

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "size": 3,
            "rngs": nnx.Rngs(seed),
        }

    def build(self, **inputs: Any) -> NnxBlock:
        return NnxBlock(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3,)),)

    def call(self, instance: Any, *arguments: Any) -> Any:
        (x,) = arguments
        return instance(x)
