"""Mistakes beside the exceptions that the laws make for good code: each is noticed all the same."""

import dataclasses
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from harness.pairs import Weighted, further
from right.specimens import Leaf


# A gradient that is rounding beside others, at one point and not at all.
class Steep(eqx.Module):
    """A buffer that is not cut off, beside a parameter whose gradient is huge elsewhere."""

    weight: jax.Array
    shift: jax.Array

    def __call__(self, x):
        return jnp.exp(12 * self.weight) * x + self.shift

    def trainable(self):
        return Steep(True, False)


class SteepAndCut(Steep):
    def __call__(self, x):
        return jnp.exp(12 * self.weight) * x + jax.lax.stop_gradient(self.shift)


class SteepLaws(Weighted):
    leaves = (Leaf("weight", "param", (3,)), Leaf("shift", "buffer", (3,)))
    skips = ("p07_large", "p09_steps")  # it overflows

    def build(self, weight):
        return self.cls(jnp.array(weight), 2 * jnp.array(weight))


further(
    "P9",
    "a buffer that is not cut off, beside a gradient that is huge elsewhere",
    Steep,
    SteepAndCut,
    "`shift`",
    base=SteepLaws,
)


# A key that is held, and drawn from twice.
class HeldNoise(eqx.Module):
    """Two distributions from the key that it holds: the bits of the one are those of the other."""

    weight: jax.Array
    key: jax.Array

    def __call__(self, x):
        kept = jax.random.bernoulli(self.key, 0.5, x.shape)
        return self.weight * x * kept + jax.random.normal(self.key, x.shape, x.dtype)


class HeldPath(HeldNoise):
    """One value at each time, however often it is asked for."""

    def __call__(self, x):
        return self.at(self.weight * x) - self.at(x)

    def at(self, x):
        kept = jax.random.bernoulli(jax.random.fold_in(self.key, 1), 0.5, x.shape)
        return x * kept * jax.random.normal(self.key, x.shape, x.dtype)


class HeldKeyLaws(Weighted):
    skips = ("p09_every_element",)  # one draw decides which elements count
    leaves = (Leaf("weight", "param", (3,)), Leaf("key", "key", ()))

    def build(self, weight):
        return self.cls(jnp.array(weight), jax.random.key(3))


further(
    "P15",
    "a key that is held serves two distributions",
    HeldNoise,
    HeldPath,
    "`bernoulli` of shape (3,) and `normal` of shape (3,)",
    base=HeldKeyLaws,
)


# A shape and a dtype, and no array.
class Shaped:
    """A distribution with a shape and a dtype."""

    @property
    def shape(self):
        return self.mean.shape

    @property
    def dtype(self):
        return self.mean.dtype

    def __call__(self, x):
        return self.mean * x


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Gaussian(Shaped):
    """Compares its arrays."""

    mean: jax.Array


@jax.tree_util.register_dataclass
@dataclasses.dataclass(eq=False)
class GaussianByIdentity(Shaped):
    mean: jax.Array


class GaussianLaws(Weighted):
    leaves = (Leaf("mean", "param", (3,)),)
    skips = ("p03_a_trivial", "p17_")  # what register_dataclass does not do


further(
    "P13",
    "a distribution with a shape and a dtype, which compares arrays",
    Gaussian,
    GaussianByIdentity,
    "bool(x == another)",
    base=GaussianLaws,
)


# A generated constructor that the author's own function calls.
class Storing(eqx.Module):
    weight: jax.Array

    def __call__(self, x):
        return self.weight * x


class Copying(Storing):
    pass


def stored(cls, weight):
    """Hands on what it is given, or a copy of it."""
    return cls(weight if cls is Storing else jnp.array(weight))


class StoringLaws(Weighted):
    def build(self, weight):
        return stored(self.cls, weight)


further(
    "P1",
    "a function that builds the class stores the caller's array",
    Storing,
    Copying,
    "shares its buffer with the input `weight`",
    base=StoringLaws,
)


class StoringTuple(NamedTuple):
    weight: jax.Array

    @classmethod
    def create(cls, weight):
        return cls(weight)

    def __call__(self, x):
        return self.weight * x


class CopyingTuple(NamedTuple):
    weight: jax.Array

    @classmethod
    def create(cls, weight):
        return cls(jnp.array(weight))

    def __call__(self, x):
        return self.weight * x


class TupleLaws(Weighted):
    skips = ("p13_equality", "p13_equal_instances", "p17_")  # as NamedTuples are

    def build(self, weight):
        return self.cls.create(weight)


further(
    "P1",
    "a NamedTuple whose `create` stores the caller's array",
    StoringTuple,
    CopyingTuple,
    "shares its buffer with the input `weight`",
    base=TupleLaws,
)
