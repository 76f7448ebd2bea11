"""Mistakes in parts that only a declaration or a record tells: of partitions, positions and other configurations."""

# ruff: noqa: RUF012 - suites declare plain dicts, as their users do
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from harness.pairs import One, Weighted, further
from right.specimens import Leaf, Output, PytreeLaws, sample

from mistakes.values.numbers import record_of_the_right_form
from pytree_laws import holds


class Switched(eqx.Module):
    """A weight, and a bias and a scale that flags switch."""

    weight: jax.Array
    bias: jax.Array | None

    def __init__(self, key, use_bias: bool = True):
        self.weight = jax.random.normal(key, (3,))
        self.bias = jnp.zeros((3,)) if use_bias else None

    def __call__(self, x, inverse: bool = False):
        bias = 0 if self.bias is None else self.bias
        return (x - bias) / self.weight if inverse else self.weight * x + bias


class SwitchedLaws(PytreeLaws):
    leaves = (Leaf("weight", "param", (3,)), Leaf("bias", "param", (3,), value=0))
    cls: Any = None
    right: Any = Switched

    def build(self, **inputs):
        return self.cls(**inputs)

    def arguments(self, seed):
        return (sample(seed, (3,)),)

    def recorded(self):
        return record_of_the_right_form(self)


class LeavesTheBiasOut(Switched):
    def __call__(self, x, inverse: bool = False):
        return x / self.weight if inverse else super().__call__(x)


class KeepsTheBias(Switched):
    def __init__(self, key, use_bias: bool = True):
        super().__init__(key)


further(
    *("P19", "A bias that one branch of a flag leaves out", LeavesTheBiasOut, Switched),
    *("call(inverse=True)", "(in other configurations)"),
    base=SwitchedLaws,
)


class InverseLaws(SwitchedLaws):
    def recorded(self):
        return None

    @holds
    def test_the_inverse_undoes_the_call(self, instance, x):
        return self.close(instance(instance(x), inverse=True), x)


further(
    *("conditions", "An inverse that leaves out a bias which begins at zero", LeavesTheBiasOut, Switched),
    "as training may leave it",
    base=InverseLaws,
)
further(
    *("P19", "A bias that a flag no longer switches off", KeepsTheBias, Switched),
    *("bias with use_bias=False: it is recorded, and no longer there",),
    base=SwitchedLaws,
)


class Turned(eqx.Module):
    """A matrix that is applied along one of two axes."""

    weight: jax.Array
    axis: int = eqx.field(static=True)

    def __init__(self, key, axis: int = 0):
        if axis not in (0, 1):
            raise ValueError(f"`axis` must be 0 or 1, got {axis}")
        self.weight, self.axis = jax.random.normal(key, (3, 3)), axis

    def __call__(self, x):
        return self.weight @ x if self.axis == 0 else x @ self.weight


class AlongOneAxis(Turned):
    def __call__(self, x):
        return self.weight @ x


class TurnedLaws(SwitchedLaws):
    leaves = (Leaf("weight", "param", (3, 3)),)
    accepted = ({"axis": 1},)
    right = Turned


further(
    *("P19", "A legal value that the call forgets", AlongOneAxis, Turned),
    *("call() with axis=1: it is recorded, and no longer there", "(at values that it accepts)"),
    base=TurnedLaws,
)


class Parted(eqx.Module):
    """A group of its leaves can be taken out, and put back."""

    gain: jax.Array
    offset: jax.Array

    def __init__(self, gain, offset):
        self.gain, self.offset = jnp.array(gain), jnp.array(offset)

    def __call__(self, x):
        return self.gain * x + self.offset

    def select_gains(self):
        return eqx.tree_at(lambda one: (one.gain, one.offset), self, (True, False))

    def partition_gains(self):
        return eqx.partition(self, self.select_gains())

    def combine(self, rest):
        return eqx.combine(self, rest)


class PartedLaws(PytreeLaws):
    leaves = (Leaf("gain", "param", (3,)), Leaf("offset", "param", (3,)))
    filters = {"select_gains": ("gain",)}
    returns = (Output((3,)),)
    cls: Any = None

    def inputs(self, seed):
        return {"gain": sample(seed, (3,)), "offset": sample(seed + 1, (3,))}

    def build(self, gain, offset):
        return self.cls(gain, offset)

    def arguments(self, seed):
        return (sample(seed, (3,)),)


class PartsExchanged(Parted):
    def partition_gains(self):
        return super().partition_gains()[::-1]


class FillsNoGaps(Parted):
    def combine(self, rest):
        return jax.tree.map(lambda one, other: other if one is None else one, self, rest)


class LosesValues(Parted):
    def combine(self, rest):
        return eqx.combine(self, jax.tree.map(jnp.zeros_like, rest))


further(
    *("P16", "A `combine` that loses values", LosesValues, Parted),
    *("`combine` of `partition_gains` made",),
    base=PartedLaws,
)
further(
    *("P16", "The parts of a partition exchanged", PartsExchanged, Parted),
    *("its first part has ['offset'], declared is ['gain']",),
    base=PartedLaws,
)
further(
    *("P16", "A `combine` that takes None for a node", FillsNoGaps, Parted),
    *("at `combine`", "of the parts of `partition_gains`"),
    base=PartedLaws,
)


class Positions(NamedTuple):
    mean: jax.Array
    spread: jax.Array


class Exchanged(NamedTuple):
    spread: jax.Array
    mean: jax.Array


class PositionsLaws(PytreeLaws):
    leaves = (Leaf("mean", "data", (3,)), Leaf("spread", "data", (3,)))
    skips = ("p13_equality", "p13_equal_instances", "p16_filter", "p17_")  # as NamedTuples are
    cls: Any = None

    def inputs(self, seed):
        return {"mean": sample(seed, (3,)), "spread": sample(seed + 1, (3,))}

    def build(self, mean, spread):
        return self.cls(mean=jnp.array(mean), spread=jnp.array(spread))


further(
    *("P2", "Two fields of a NamedTuple that changed places", Exchanged, Positions),
    *("declared in the order ['mean', 'spread']",),
    base=PositionsLaws,
)


class Layered(eqx.Module):
    """So many weights, each drawn with a key of its own."""

    weights: list

    def __init__(self, depth, key):
        self.weights = [self.draw(one) for one in self.keys(jax.random.split(key, depth), depth)]

    def keys(self, keys, depth):
        return list(keys)

    def draw(self, key):
        return jax.random.normal(key, (3,))

    def __call__(self, x):
        for weight in self.weights:
            x = weight * x
        return x


class LayeredLaws(PytreeLaws):
    cls: Any = None

    def inputs(self, seed):
        return {"depth": 2, "key": jax.random.key(seed)}

    def build(self, depth, key):
        return self.cls(depth, key)

    def arguments(self, seed):
        return (sample(seed, (3,)),)


class RepeatsTheSecond(Layered):
    def keys(self, keys, depth):
        return [keys[0], *(keys[1] for _ in range(1, depth))]


further(
    *("P15", "One key for all layers after the first", RepeatsTheSecond, Layered),
    "build with depth=3",
    base=LayeredLaws,
)


class Scaled(One):
    """Scales what it is given."""

    def __call__(self, x, factor: float = 1.0):
        return self.weight * x * factor

    def inverse(self, x, floored: bool = False):
        return x / (jnp.maximum(self.weight, 0.1) if floored else self.weight)


class ScaledLaws(Weighted):
    defaults = {"__call__.factor": 1.0, "inverse.floored": False}


class FlooredByDefault(Scaled):
    def inverse(self, x, floored: bool = True):
        return super().inverse(x, floored)


further(
    *("P1", "another default of a flag", FlooredByDefault, Scaled),
    *("`inverse.floored`", "its default is True, declared is False"),
    base=ScaledLaws,
)


class WholeByDefault(Scaled):
    def __call__(self, x, factor: float = 1):
        return super().__call__(x, factor)


further(
    *("P1", "a default of another type", WholeByDefault, Scaled),
    *("`__call__.factor`", "its default is 1, declared is 1.0"),
    base=ScaledLaws,
)
