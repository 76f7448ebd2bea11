"""Mistakes that show from the second use on, or with an option that the example leaves at its default."""

# ruff: noqa: RUF012 - suites declare plain dicts, as their users do
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from harness.pairs import further
from harness.stateful import MadeWithState
from right.specimens import Leaf, Output, PytreeLaws, sample

from mistakes.values.numbers import record_of_the_right_form
from pytree_laws import Method


class Recent(eqx.Module):
    """The mean of the last four values, each times a weight, which it keeps in a state."""

    weight: jax.Array
    values: eqx.nn.StateIndex
    count: eqx.nn.StateIndex

    @classmethod
    def create(cls, weight):
        values = eqx.nn.StateIndex(jnp.zeros((4, 3), weight.dtype))
        return cls(jnp.array(weight), values, eqx.nn.StateIndex(jnp.zeros((), jnp.int32)))

    def place(self, count):
        return count % 4

    def kept(self, x):
        return self.weight * x

    def push(self, x, state):
        count = state.get(self.count)
        values = state.get(self.values).at[self.place(count)].set(self.kept(x))
        state = state.set(self.values, values).set(self.count, count + 1)
        return jnp.sum(values, 0) / jnp.minimum(count + 1, 4), state

    def __call__(self, x, state):
        return self.push(x, state)


class OverwritesTheLast(Recent):
    def place(self, count):
        return jnp.minimum(count, 3)


class CutsOffWhatItKeeps(Recent):
    def push(self, x, state):
        result, state = super().push(x, state)
        return result, state.set(self.values, jax.lax.stop_gradient(state.get(self.values)))


class RecentLaws(MadeWithState):
    leaves = (Leaf("weight", "param", (3,)),)
    states = (Leaf("values", "state", (4, 3)), Leaf("count", "state", (), "int32"))
    methods = (Method("push", lambda seed: (sample(seed + 4, (3,)),), state_at=1),)
    right: Any = Recent

    def inputs(self, seed):
        return {"weight": sample(seed, (3,))}

    def recorded(self):
        return record_of_the_right_form(self)


further(
    *("P19", "A ring of values that overwrites its last entry", OverwritesTheLast, Recent),
    *("push.0", "(over several steps)"),
    base=RecentLaws,
)
further(
    *("P9", "A state of a method, cut off where it is kept", CutsOffWhatItKeeps, Recent),
    *("at `push`", "small steps show the slope", "`jax.lax.stop_gradient` on what a state was assigned"),
    base=RecentLaws,
)


class Wave(eqx.Module):
    """A value that turns at each tick, which takes nothing."""

    weight: jax.Array
    value: eqx.nn.StateIndex

    @classmethod
    def create(cls, weight):
        return cls(jnp.array(weight), eqx.nn.StateIndex(jnp.ones((3,), weight.dtype)))

    def turned(self, value):
        return jnp.cos(self.weight * value)

    def tick(self, state):
        value = self.turned(state.get(self.value))
        return value, state.set(self.value, value)

    def __call__(self, x, state):
        return x * self.weight * state.get(self.value), state


class TurnsOnce(Wave):
    def turned(self, value):
        return jnp.where(value == 1, super().turned(value), value)


class WaveLaws(RecentLaws):
    states = (Leaf("value", "state", (3,)),)
    methods = (Method("tick", lambda seed: (), state_at=0),)
    right: Any = Wave


further(
    *("P19", "A tick that takes nothing, and counts but once", TurnsOnce, Wave),
    *("tick.0", "(over several steps)"),
    base=WaveLaws,
)


class Measured(eqx.Module):
    """Numbers in a unit."""

    value: jax.Array
    unit: float = eqx.field(static=True)

    def __init__(self, value, unit: float = 1.0):
        self.value, self.unit = jnp.array(value), unit

    def to(self, unit: float = 1.0):
        return type(self)(self.value * (self.unit / unit), unit)

    def __add__(self, other):
        return type(self)(self.value + other.to(self.unit).value, self.unit)

    def power(self, *, exponent: int = 1):
        return self.value**exponent

    def norm(self, bound: float | None = None):
        size = jnp.sqrt(jnp.sum(self.value**2))
        return size if bound is None else jnp.minimum(size, bound)

    def total(self, kind: str = "sum"):
        if kind == "mean":
            return jnp.mean(self.value)
        return jnp.sum(self.value)


class MeasuredLaws(PytreeLaws):
    leaves = (Leaf("value", "param", (3,)),)
    static = {"unit": 1.0}
    methods = (
        Method("__add__", lambda seed: (Measured(sample(seed + 4, (3,))),)),
        Method("power", returns=(Output((3,)),)),
        Method("norm", returns=(Output(()),)),
        Method("total", returns=(Output(()),)),
        Method("to"),
    )
    cls: Any = None
    right: Any = Measured

    def inputs(self, seed):
        return {"value": sample(seed, (3,))}

    def build(self, **inputs):
        return self.cls(**inputs)

    def recorded(self):
        return record_of_the_right_form(self)


class AddsOtherUnits(Measured):
    def __add__(self, other):
        return type(self)(self.value + other.value, self.unit)


class DividesByTheUnit(Measured):
    def to(self, unit: float = 1.0):
        return type(self)(self.value * (self.unit * unit), unit)


class NoExponent(Measured):
    def power(self, *, exponent: int = 1):
        return self.value


class BoundFromBelow(Measured):
    def norm(self, bound: float | None = None):
        size = super().norm()
        return size if bound is None else jnp.maximum(size, bound)


class MeanOfSquares(Measured):
    def total(self, kind: str = "sum"):
        if kind == "mean":
            return jnp.mean(self.value**2)
        return jnp.sum(self.value)


class KeepsIntegers(Measured):
    def __init__(self, value, unit: float = 1.0):
        self.value, self.unit = jnp.asarray(value), unit


class MakesFloats(Measured):
    def __init__(self, value, unit: float = 1.0):
        self.value, self.unit = jnp.array(value, float), unit


class FloatsLaws(MeasuredLaws):
    right = MakesFloats
    copies_arrays = False


further(
    *("P19", "Integers that stay so", KeepsIntegers, MakesFloats),
    *("value of whole numbers: it is int32[3], recorded is float32[3] (with other options)",),
    base=FloatsLaws,
)


class Turning(eqx.Module):
    """A complex weight, by which a real vector is turned."""

    weight: jax.Array

    def __init__(self, weight):
        self.weight = jnp.array(weight)

    def turned(self, x):
        return jnp.real(self.weight * x).astype(x.dtype)


class TurningInOneWidth(Turning):
    def turned(self, x):
        return jnp.real(self.weight * x)


class TurningLaws(MeasuredLaws):
    leaves = (Leaf("weight", "param", (3,), "complex"),)
    static = {}
    methods = (Method("turned", lambda seed: (sample(seed + 4, (3,)),), returns=(Output((3,)),)),)
    right = Turning
    strict = False

    def inputs(self, seed):
        return {"weight": sample(seed, (3,), "complex")}


further(
    *("P19", "A real part of the width of a complex weight", TurningInOneWidth, Turning),
    *("turned in bfloat16, output 0: it is float32[3], recorded is bfloat16[3] (with other options)",),
    base=TurningLaws,
)


def with_options(title, broken, *words, law="P19", base=MeasuredLaws):
    further(law, title, broken, Measured, *words, base=base)


SHOWN = "(with other options)"
with_options("A sum of two units", AddsOtherUnits, "__add__(other=another Measured)", SHOWN)
with_options("A unit that divides", DividesByTheUnit, "to(unit=0.5).value", SHOWN)
with_options("An exponent without effect", NoExponent, "`power(exponent)`", "the same is computed", law="P8")
with_options("A bound that the example leaves out", BoundFromBelow, "norm(bound=0.5)", SHOWN)
with_options("A kind that the example does not ask for", MeanOfSquares, "total(kind='mean')", SHOWN)
