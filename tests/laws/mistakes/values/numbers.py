"""Mistakes that only the numbers show: what is computed is held to what the right form computed."""

# ruff: noqa: RUF012 - suites declare plain dicts, as their users do
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx
from harness.pairs import further
from right.specimens import Leaf, Output, PytreeLaws, sample

from pytree_laws.laws.values.p19_snapshot import sections
from pytree_laws.nnx import NnxLaws, Var
from pytree_laws.snapshot.format import render_record


def record_of_the_right_form(suite):
    """The record that the suite would have from the day when its class was right."""
    name = type(suite).__name__
    return render_record(sections(type(name, (type(suite),), {"cls": suite.right})()), "test_here.py")


class Square(eqx.Module):
    """A square weight, a bias that begins at zero, and a gain that no call needs."""

    weight: jax.Array
    bias: jax.Array

    def __init__(self, key):
        self.weight = jax.random.normal(key, (3, 3))
        self.bias = jnp.zeros((3,))

    def __call__(self, x):
        return self.weight @ x + self.bias

    @property
    def gain(self):
        return jnp.linalg.norm(self.weight)

    def trace(self):
        return jnp.trace(self.weight)


class SquareLaws(PytreeLaws):
    leaves = (Leaf("weight", "param", (3, 3)), Leaf("bias", "param", (3,)))
    returns = (Output((3,)),)
    cls: Any = None
    right: Any = Square

    def inputs(self, seed):
        return {"key": jax.random.key(seed)}

    def build(self, key):
        return self.cls(key)

    def arguments(self, seed):
        return (sample(seed, (3,)),)

    def recorded(self):
        return record_of_the_right_form(self)


class Transposed(Square):
    def __call__(self, x):
        return self.weight.T @ x + self.bias


class TakesTheBiasOff(Square):
    def __call__(self, x):
        return self.weight @ x - self.bias


class StartsLarger(Square):
    def __init__(self, key):
        super().__init__(key)
        self.weight = 2 * self.weight


class CutsOffItsArgument(Square):
    def __call__(self, x):
        return self.weight @ jax.lax.stop_gradient(x) + self.bias


class SquaredGain(Square):
    @property
    def gain(self):
        return jnp.sum(self.weight**2)


class OtherTrace(Square):
    def trace(self):
        return jnp.trace(self.weight[::-1])


class LostTrace(Square):
    trace = None


class WithAnotherProperty(Square):
    @property
    def spread(self):
        return jnp.std(self.weight)


further(
    *("P19", "A square weight that is transposed", Transposed, Square),
    *("at `call`", "`pytest --numbers=update"),
    base=SquareLaws,
)
further(
    *("P19", "A bias that is taken off, and begins at zero", TakesTheBiasOff, Square),
    *("gradient of bias: at 0 it is -", "(with other numbers)", "is allowed; 3 of 3 differ"),
    base=SquareLaws,
)
further(
    "P19", "A weight that starts twice as large", StartsLarger, Square, "weight: at (0, 0)", base=SquareLaws
)
further(
    *("P19", "An argument that is cut off", CutsOffItsArgument, Square),
    *("gradient of argument 0: at 0 it is 0, recorded is",),
    base=SquareLaws,
)
further(
    *("P19", "A property that computes something else", SquaredGain, Square),
    *("gain: it is", "recorded is"),
    base=SquareLaws,
)
further("P19", "A method that computes something else", OtherTrace, Square, "trace: it is", base=SquareLaws)
further(
    "P19", "A method that is gone", LostTrace, Square, "trace: it is recorded, and no longer", base=SquareLaws
)
further(
    *("P19", "A property that was added, and is not recorded", WithAnotherProperty, Square),
    *("at `spread`: it computes what is not recorded yet", "spread: it is there, and not recorded"),
    "look for: nothing that is recorded has moved; record what is new with `pytest --numbers=update",
    base=SquareLaws,
)


class ConflictingLaws(SquareLaws):
    def recorded(self):
        if self.cls is Square:
            return super().recorded()
        return super().recorded().replace("call:", "<<<<<<< HEAD\ncall:")


class OfTwoBranches(Square):
    pass


further(
    *("P19", "A record with the marks of a merge", OfTwoBranches, Square),
    *("line ", "is none of a record: '<<<<<<< HEAD'"),
    base=ConflictingLaws,
)


class Average(nnx.Module):
    """A mean that follows its arguments."""

    def __init__(self):
        self.scale = nnx.Param(jnp.ones((3,)))
        self.mean = nnx.BatchStat(jnp.zeros((3,)))

    def __call__(self, x):
        self.mean[...] = 0.9 * self.mean + 0.1 * x
        return self.scale * (x - self.mean)


class AverageLaws(NnxLaws):
    variables = (Var("scale", nnx.Param, (3,)), Var("mean", nnx.BatchStat, (3,), flows=True))
    updates = ("mean",)
    returns = (Output((3,)),)
    static = {}
    other = None
    cls: Any = None
    right: Any = Average

    def inputs(self, seed):
        return {}

    def build(self):
        return self.cls()

    def arguments(self, seed):
        return (sample(seed, (3,)),)

    def call(self, instance, *arguments):
        return instance(*arguments)

    def recorded(self):
        return record_of_the_right_form(self)


class SharesExchanged(Average):
    def __call__(self, x):
        self.mean[...] = 0.1 * self.mean + 0.9 * x
        return self.scale * (x - self.mean)


class CutsOffItsMean(Average):
    def __call__(self, x):
        self.mean[...] = 0.9 * self.mean + 0.1 * x
        return self.scale * (x - jax.lax.stop_gradient(self.mean[...]))


further(
    *("P19", "NNX: the shares of an average exchanged", SharesExchanged, Average),
    *("after the call mean: at 0",),
    base=AverageLaws,
)
further(
    *("P19", "NNX: an average that is cut off from its argument", CutsOffItsMean, Average),
    *("gradient of argument 0: at 0",),
    base=AverageLaws,
)


# Invariants: what two words say of a call, and a call that is otherwise.
