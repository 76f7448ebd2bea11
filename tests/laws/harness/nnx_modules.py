"""What the specimens of NNX modules share: the suite as its users have it, a register of mutants, and one right module."""
# ruff: noqa: RUF012 - suites declare plain dicts, as their users do

from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx

from harness.runner import register
from pytree_laws import Output, sample
from pytree_laws.nnx import NnxLaws, Var

MUTANTS = []
mutant = register(MUTANTS)


class VectorLaws(NnxLaws):
    """A suite of modules, in `cls`, that map a vector of size 3 to another."""

    cls: Any = None
    returns = (Output((3,)),)

    def build(self, **inputs):
        return self.cls(**inputs)

    def arguments(self, seed):
        return (sample(seed, (3,)),)

    def call(self, module, *arguments):
        return module(*arguments)


class SizedLaws(VectorLaws):
    """A suite of such modules whose constructor takes the size."""

    def inputs(self, seed):
        return {"size": 3, "rngs": nnx.Rngs(seed)}


class Linear(nnx.Module):
    """A right module: two parameters, a buffer that the call updates, and a static scale."""

    def __init__(self, size, scale=2.0, *, rngs):
        self.weight = nnx.Param(self.draw(rngs.params(), (size, size)))
        self.bias = nnx.Param(jnp.zeros((size,), jnp.float32))
        self.mean = nnx.BatchStat(jnp.zeros((size,), jnp.float32))
        self.scale = scale

    def draw(self, key, shape):
        return jax.random.normal(key, shape, jnp.float32)

    def __call__(self, x):
        mean = jax.lax.stop_gradient(0.9 * self.mean[...] + 0.1 * x)
        self.mean[...] = mean
        return self.affine(x - mean)

    def affine(self, x):
        return self.scale * (self.weight[...] @ x) + self.bias[...]


class LinearLaws(SizedLaws):
    cls = Linear
    variables = (
        Var("weight", nnx.Param, (3, 3), std=1.0),
        Var("bias", nnx.Param, (3,), value=0.0),
        Var("mean", nnx.BatchStat, (3,), value=0.0),
    )
    static = {"scale": 2.0}
    drawn = ("weight",)
    used = ("scale", "mean")
    updates = ("mean",)
