"""P8 at the flags that a module of Flax sets itself, which `train` and `eval` change: its code reads them."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx

from pytree_laws import sample
from pytree_laws.nnx import NnxLaws, Var
from right.test_right_forms import finding, left_out


class Centre(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.scale = nnx.Param(jnp.ones(3, "float32"))
        self.mean = nnx.Variable(jnp.zeros(3, "float32"))
        self.training = True

    def __call__(self, x: jax.Array) -> jax.Array:
        if self.training:
            self.mean[...] = 0.9 * self.mean[...] + 0.1 * x
        return self.scale * (x - self.mean)


class Always(Centre):
    def __init__(self, rngs: nnx.Rngs):
        super().__init__(rngs)
        self.deterministic = False


def laws_of(module: Callable[[nnx.Rngs], Any]) -> type[Any]:
    body = {
        "variables": (Var("scale", nnx.Param, (3,)), Var("mean", nnx.Variable, (3,))),
        "updates": ("mean",),
        "build": lambda self, seed: module(nnx.Rngs(seed)),
        "arguments": lambda self, seed: (sample(seed, (3,)),),
    }
    return type("Laws", (NnxLaws,), body)


LAW = "p08_every_setting_matters"


def test_a_flag_that_the_call_reads_is_no_finding() -> None:
    assert "the code of the class reads each setting" in left_out(laws_of(Centre), LAW)


def test_a_flag_that_nothing_reads_is_noticed() -> None:
    told = "no code of its module reads it, so that `eval()` and `set_attributes` change nothing"
    assert finding(laws_of(Always), LAW) == f"advice: {told}"
