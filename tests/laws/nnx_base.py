"""What the specimens of NNX modules share: the suite as its users have it, a register of mutants, and one right module."""
# ruff: noqa: RUF012 - suites declare plain dicts, as their users do

import importlib.util
import sys

import jax
import jax.numpy as jnp
import pytest
from flax import nnx
from laws_runner import SOURCE, laws


def load_nnx_laws():
    """The suite as its users have it: a module called `nnx_laws`, beside `pytree_laws`."""
    if "nnx_laws" not in sys.modules:
        spec = importlib.util.spec_from_file_location("nnx_laws", SOURCE.with_name("nnx_laws.py"))
        module = importlib.util.module_from_spec(spec)
        sys.modules["nnx_laws"] = module
        spec.loader.exec_module(module)
    return sys.modules["nnx_laws"]


nnx_laws = load_nnx_laws()
NnxLaws, Var = nnx_laws.NnxLaws, nnx_laws.Var
Output, sample = laws.Output, laws.sample
MUTANTS = []


def mutant(law, *words):
    """Marks a suite whose module must break `law`, with these words in the message."""

    def mark(suite):
        MUTANTS.append(pytest.param(suite, law, words, id=f"{law}-{suite.__name__}"))
        return suite

    return mark


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


class LinearLaws(NnxLaws):
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
    returns = (Output((3,)),)

    def inputs(self, seed):
        return {"size": 3, "rngs": nnx.Rngs(seed)}

    def build(self, **inputs):
        return self.cls(**inputs)

    def arguments(self, seed):
        return (sample(seed, (3,)),)

    def call(self, module, *arguments):
        return module(*arguments)
