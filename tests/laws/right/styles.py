"""Classes in the manner of other libraries, and ones with an uncommon start: all hold every law."""

# ruff: noqa: RUF012 - suites declare plain dicts, as their users do
import dataclasses
from typing import Any, NamedTuple

import chex
import equinox as eqx
import flax.struct
import jax
import jax.numpy as jnp
from mutants.structure import OneWeight

from right.specimens import Leaf, Output, PytreeLaws, sample

GetAttrKey, SequenceKey = jax.tree_util.GetAttrKey, jax.tree_util.SequenceKey

# A gradient that is zero at the start.


class LowRank(eqx.Module):
    """A low-rank correction that begins at zero."""

    weight: jax.Array
    down: jax.Array
    up: jax.Array

    def __call__(self, x):
        return jax.lax.stop_gradient(self.weight) @ x + self.up @ (self.down @ x)

    def trainable(self):
        return eqx.tree_at(lambda one: one.weight, jax.tree.map(lambda _: True, self), False)


class LowRankLaws(OneWeight):
    leaves = (
        Leaf("weight", "buffer", (3, 3)),
        Leaf("down", "param", (1, 3), std=1.0),
        Leaf("up", "param", (3, 1), value=0.0),
    )
    drawn = ("down",)

    def inputs(self, seed):
        return {"weight": sample(seed, (3, 3)), "key": jax.random.key(seed)}

    def build(self, weight, key):
        down = jax.random.normal(key, (1, 3), weight.dtype)
        return LowRank(jnp.array(weight), down, jnp.zeros((3, 1), weight.dtype))


class Gated(eqx.Module):
    """A residual branch behind a gate that begins at zero."""

    gate: jax.Array
    weight: jax.Array
    bias: jax.Array

    def __call__(self, x):
        return x + self.gate * jax.nn.relu(self.weight * x + self.bias)


class GatedLaws(OneWeight):
    leaves = (
        Leaf("gate", "param", (), value=0.0),
        Leaf("weight", "param", (3,)),
        Leaf("bias", "param", (3,), value=0.0),
    )

    def build(self, weight):
        zeros = jnp.zeros((3,), weight.dtype)
        return Gated(jnp.zeros((), weight.dtype), jnp.array(weight), zeros)


# A loop without a reverse mode, a transform without bfloat16, ranks that broadcast.


class Doubling(eqx.Module):
    weight: jax.Array

    def __call__(self, x):
        def go_on(state):
            return (state[0] < 8) & (jnp.sum(state[1]) < 10)

        return jax.lax.while_loop(go_on, lambda s: (s[0] + 1, s[1] * (1 + self.weight**2)), (0, x))[1]


class DoublingLaws(OneWeight):
    def build(self, weight):
        return Doubling(jnp.array(weight))


class Spectral(eqx.Module):
    weight: jax.Array

    def __call__(self, x):
        return jnp.fft.irfft(jnp.fft.rfft(self.weight * x), 3)


class SpectralLaws(OneWeight):
    def build(self, weight):
        return Spectral(jnp.array(weight))


class Rows(eqx.Module):
    weight: jax.Array

    def __call__(self, rows):
        return rows * self.weight


class RowsLaws(OneWeight):
    returns = (Output((2, 3)),)

    def arguments(self, seed):
        return (sample(seed, (2, 3)),)

    def build(self, weight):
        return Rows(jnp.array(weight))


class Half(eqx.Module):
    """Of its table the call reads the rows that are asked for, and the last one never."""

    table: jax.Array

    def __call__(self, x):
        return self.table[:-1].sum(0) * x


class UnusedLaws(OneWeight):
    leaves = (Leaf("table", "param", (4, 3), unused=True),)

    def build(self, weight):
        return Half(jnp.tile(weight, (4, 1)))


class Straight(eqx.Module):
    """Rounds, with the gradient of the identity."""

    weight: jax.Array

    def __call__(self, state, x):
        drive = self.weight * x + state
        return drive + jax.lax.stop_gradient(jnp.round(drive) - drive)


class StraightLaws(OneWeight):
    carry = 0

    def arguments(self, seed):
        return sample(seed, (3,)), sample(seed + 1, (3,))

    def build(self, weight):
        return Straight(jnp.array(weight))


# flax.struct, chex and register_dataclass do not name the class in the treedef: a static tag does.


@flax.struct.dataclass
class Tagged:
    weight: jax.Array
    tag: str = flax.struct.field(pytree_node=False, default="good_styles.Tagged")

    def __call__(self, x):
        return self.weight * x

    __eq__ = object.__eq__
    __hash__ = object.__hash__


class Dataclass(OneWeight):
    """What these libraries do without: identity in the treedef, subclasses, and a plain `==`."""

    skips = ("p03_a_trivial_subclass", "p17_", "p03_round_trip_keeps_changed")

    def build(self, weight):
        return self.cls(jnp.array(weight))


class TaggedLaws(Dataclass):
    cls = Tagged


@chex.dataclass(frozen=True, eq=False, mappable_dataclass=False)
class Chex:
    weight: jax.Array

    def __call__(self, x):
        return self.weight * x


class ChexLaws(Dataclass):
    def build(self, weight):
        return Chex(weight=jnp.array(weight))


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True, eq=False)
class Plain:
    weight: jax.Array
    depth: int = dataclasses.field(default=2, metadata={"static": True})

    def __call__(self, x):
        return self.weight * x * self.depth


class PlainLaws(Dataclass):
    static = {"depth": 2}
    used = ("depth",)
    cls = Plain


# A struct of arrays that registers its subclasses, as penzai and levanter do.


class Struct:
    """Its annotations are its fields, all of them children."""

    def __init_subclass__(cls):
        super().__init_subclass__()
        names = tuple(name for base in cls.__mro__[::-1] for name in vars(base).get("__annotations__", ()))

        def flatten_with_keys(self):
            return tuple((GetAttrKey(name), getattr(self, name)) for name in names), ()

        def unflatten(_, children):
            self = object.__new__(cls)
            vars(self).update(zip(names, children, strict=True))
            return self

        jax.tree_util.register_pytree_with_keys(cls, flatten_with_keys, unflatten)


class Layer(Struct):
    weight: jax.Array
    bias: jax.Array

    def __init__(self, weight, bias):
        self.weight, self.bias = jnp.array(weight), jnp.array(bias)

    def __call__(self, x):
        return self.weight * x + self.bias


class StructLaws(PytreeLaws):
    leaves = (Leaf("weight", "param", (3,)), Leaf("bias", "param", (3,)))
    kept = ("weight", "bias")
    returns = (Output((3,)),)

    def inputs(self, seed):
        return {"weight": sample(seed, (3,)), "bias": sample(seed + 1, (3,))}

    def build(self, **inputs):
        return Layer(**inputs)

    def arguments(self, seed):
        return (sample(seed, (3,)),)

    def call(self, layer, *arguments):
        return layer(*arguments)


class State(NamedTuple):
    """A state as optax has them, with a method."""

    count: Any
    mean: Any

    def updated(self, x):
        return State(self.count + 1, 0.9 * self.mean + 0.1 * x)


class StateLaws(PytreeLaws):
    leaves = (Leaf("count", "buffer", (), "int32", value=0), Leaf("mean", "buffer", (3,), value=0.0))
    skips = ("p13_equality", "p16_filter_specs", "p09_", "p17_", "p13_equal_instances")

    def inputs(self, seed):
        return {}

    def build(self):
        return State(jnp.zeros((), jnp.int32), jnp.zeros((3,), jnp.result_type(float)))

    def arguments(self, seed):
        return (sample(seed, (3,)),)

    def call(self, state, *arguments):
        return state.updated(*arguments)


GOOD = [
    suite
    for suite in list(vars().values())
    if isinstance(suite, type)
    and issubclass(suite, PytreeLaws)
    and suite.__module__ == __name__
    and suite is not Dataclass
]
