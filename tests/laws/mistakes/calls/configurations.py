"""Mistakes in configurations that the example does not take, each with the form that is right."""

# ruff: noqa: RUF012 - suites declare plain dicts, as their users do

from typing import Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from harness.pairs import One, Weighted, further
from jax.typing import ArrayLike
from right.specimens import Leaf, Output, sample


class Flagged(eqx.Module):
    """Built with flags and parts that the example leaves as they are."""

    weight: jax.Array
    bias: jax.Array | None
    norm: str = eqx.field(static=True)

    def __init__(self, weight, use_bias: bool = True, norm: Literal["none", "mean"] = "none"):
        self.weight = jnp.array(weight)
        self.bias = jnp.ones_like(self.weight) if use_bias else None
        self.norm = norm

    def __call__(self, x, scale: bool = False):
        y = self.weight * x
        if self.bias is not None:
            y = y + self.bias
        return 2 * y if scale else y


class FlaggedLaws(Weighted):
    leaves = (Leaf("weight", "param", (3,)), Leaf("bias", "param", (3,), value=1))

    def build(self, weight):
        return self.cls(weight)


def wrong(title, law, cls, *words, fixed=Flagged, base=FlaggedLaws, **declared):
    further(law, title, cls, fixed, *words, base=base, **declared)


class BreaksWithout(Flagged):
    def __init__(self, weight, use_bias: bool = True, norm: Literal["none", "mean"] = "none"):
        self.weight = jnp.array(weight)
        self.bias = jnp.ones_like(self.weight) if use_bias else -self.bias
        self.norm = norm


wrong("a flag at which the constructor fails", "P1", BreaksWithout, "`use_bias=False`")


class RefusesWithout(Flagged):
    """Says itself that it cannot be, which is no mistake."""

    def __init__(self, weight, use_bias: bool = True, norm: Literal["none", "mean"] = "none"):
        if not use_bias:
            raise ValueError("the bias is not optional")
        super().__init__(weight, use_bias, norm)


class AddsNothing(Flagged):
    def __call__(self, x, scale: bool = False):
        return self.weight * x + self.bias


wrong(
    "a bias that is added where there is none",
    "P7",
    AddsNothing,
    "`use_bias=False`: the call raised",
    fixed=RefusesWithout,
)


class MisspelledNorm(Flagged):
    def __call__(self, x, scale: bool = False):
        y = super().__call__(x, scale)
        return y - y.meen() if self.norm == "mean" else y


class Normed(Flagged):
    def __call__(self, x, scale: bool = False):
        y = super().__call__(x, scale)
        return y - y.mean() if self.norm == "mean" else y


wrong("a value of a Literal that nobody tried", "P7", MisspelledNorm, "norm='mean'", fixed=Normed)


class ScalesInOneDtype(Flagged):
    def __call__(self, x, scale: bool = False):
        y = super().__call__(x)
        return (2 * y if scale else y).astype(jnp.bfloat16)


class WideScaled(ScalesInOneDtype):
    def __call__(self, x, scale: bool = False):
        y = super().__call__(x)
        return y * np.float32(2) if scale else y


wrong(
    "another dtype at a flag of the call",
    "P7",
    WideScaled,
    "it is float32, and bfloat16 in the example",
    fixed=ScalesInOneDtype,
    returns=(Output((3,), "bfloat16"),),
    strict=False,
)


class BranchesOnTracer(Flagged):
    def __call__(self, x, scale: bool = False):
        y = super().__call__(x)
        return y + isinstance(x, jax.core.Tracer) if scale else y


wrong("a flag at which jit computes something else", "P7", BranchesOnTracer, "traced it gives")


class RootOfNothing(Flagged):
    def __call__(self, x, scale: bool = False):
        y = super().__call__(x)
        return jnp.log(y - y) * 0 if scale else y


wrong("NaN at a flag", "P7", RootOfNothing, "it gives NaN")


class ByOthers(One):
    def __call__(self, x):
        return self.weight * x * (1 / (len(x) - 1))


class ByAll(One):
    def __call__(self, x):
        return self.weight * x * (1 / len(x))


wrong("a division by a size less one", "P7", ByOthers, "ZeroDivisionError", fixed=ByAll, base=Weighted)


class Unlearnt(Flagged):
    def __call__(self, x, scale: bool = False):
        weight = self.weight if self.bias is not None else jax.lax.stop_gradient(self.weight)
        return weight * x + (0 if self.bias is None else self.bias)


wrong("a gradient that a flag cuts off", "P9", Unlearnt, "`weight with use_bias=False`")


class Gated(eqx.Module):
    """Builds a gate where it is asked for."""

    weight: jax.Array
    gate: jax.Array | None

    def __init__(self, weight, use_gate: bool = False):
        self.weight = jnp.array(weight)
        self.gate = jnp.ones_like(self.weight) if use_gate else None

    def __call__(self, x):
        return self.weight * x * (1 if self.gate is None else self.gate)


class UnusedGate(Gated):
    def __call__(self, x):
        return self.weight * x


class GatedLaws(FlaggedLaws):
    leaves = (Leaf("weight", "param", (3,)),)


wrong(
    "an optional part without a use",
    "P9",
    UnusedGate,
    "`gate with use_gate=True`",
    fixed=Gated,
    base=GatedLaws,
)


class Numbers(One):
    """Takes whatever is like an array."""

    def __call__(self, x: jax.Array, gain: ArrayLike):
        return self.weight * x * jnp.asarray(gain, x.dtype)


class NumbersOfJax(Numbers):
    def __call__(self, x: jax.Array, gain: ArrayLike):
        return self.weight * x * gain.astype(x.dtype)


class NumbersLaws(Weighted):
    def arguments(self, seed):
        return sample(seed, (3,)), sample(seed)


wrong(
    "a Python number where it is annotated",
    "P7",
    NumbersOfJax,
    "has no attribute 'astype'",
    fixed=Numbers,
    base=NumbersLaws,
)


# Sizes of 0, and what the constructor accepts at its bounds.


class SummedInPython(One):
    def __call__(self, x):
        return sum(self.weight[i] * x[i] for i in range(len(x)))


class StackedInPython(One):
    def __call__(self, x):
        rows = [self.weight[i] * x[i] for i in range(len(x))]
        return jnp.stack(rows).sum() if rows else jnp.zeros((1,), x.dtype)


class Summed(One):
    def __call__(self, x):
        return jnp.sum(self.weight * x)


for cls, words in (
    (
        SummedInPython,
        ("an axis of 0 in the place of 3", "its outputs are ['int32'], and ['float32'] in the example"),
    ),
    (
        StackedInPython,
        ("an axis of 0 in the place of 3", "its outputs have [1] axes, and [0] in the example"),
    ),
):
    wrong(f"{cls.__name__} of nothing", "P7", cls, *words, fixed=Summed, base=Weighted, returns=(Output(()),))


class Tempered(eqx.Module):
    """Accepts a temperature of 0, at which it does something else."""

    weight: jax.Array
    temperature: float = eqx.field(static=True)

    def __init__(self, weight, temperature=1.0):
        if not temperature >= 0:
            raise ValueError("`temperature` must satisfy `temperature >= 0`")
        self.weight, self.temperature = jnp.array(weight), float(temperature)

    def __call__(self, x):
        y = self.weight * x
        return y / self.temperature if self.temperature else y


class DividedByNothing(Tempered):
    def __call__(self, x):
        return self.weight * x * (1 / self.temperature)


class SharesOfNothing(Tempered):
    def __call__(self, x):
        y = self.weight * x * self.temperature
        return self.weight * x * (y / (jnp.abs(y).sum() + (self.temperature > 0)))


class TemperedLaws(FlaggedLaws):
    leaves = (Leaf("weight", "param", (3,)),)
    static = {"temperature": 1.0}
    accepted = ({"temperature": 0.0},)

    def build(self, weight, **changes):
        return self.cls(weight, **changes)


for cls, words in (
    (DividedByNothing, ("`temperature=0.0`: the call raised ZeroDivisionError",)),
    (SharesOfNothing, ("with temperature=0.0", "the constructor accepts it, and the call gives NaN")),
):
    wrong(f"{cls.__name__} at a bound", "P7", cls, *words, fixed=Tempered, base=TemperedLaws)


class Switched(eqx.Module):
    """Holds a flag as a leaf, as `eqx.nn.inference_mode` wants it."""

    weight: jax.Array
    inference: bool

    def __init__(self, weight, inference: bool = False):
        self.weight, self.inference = jnp.array(weight), inference

    def __call__(self, x):
        return self.weight * x * (2 - self.inference)


class SwitchedOtherwise(Switched):
    def __init__(self, weight, inference: bool = True):
        super().__init__(weight, inference)


class SwitchedByANumber(Switched):
    def __init__(self, weight, inference: bool = False):
        super().__init__(weight, int(inference))


class SwitchedLaws(FlaggedLaws):
    leaves = (Leaf("weight", "param", (3,)), Leaf("inference", "python", value=False))


for cls, held in ((SwitchedOtherwise, "True"), (SwitchedByANumber, "0")):
    told = f"it holds {held}, declared is False"
    wrong(f"{cls.__name__}, a leaf", "P2", cls, told, fixed=Switched, base=SwitchedLaws)


class Stateless(One):
    def __call__(self, x, state: eqx.nn.State | None = None):
        y = self.weight * x
        return y if state is None else (y, state)


class DropsState(One):
    def __call__(self, x, state: eqx.nn.State | None = None):
        return self.weight * x


wrong(
    "a state that is given and not handed back",
    *("P12", DropsState, "at `the call's state`: given a state, the call returns none"),
    fixed=Stateless,
    base=Weighted,
)
