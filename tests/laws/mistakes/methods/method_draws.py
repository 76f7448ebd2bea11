"""Mistakes in what methods draw, in their dtype, their flags and their gradients, and what only a record of them shows."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from harness.pairs import Weighted, further
from mutants.structure import OneWeight
from right.specimens import Leaf, Output, sample

from mistakes.methods.method_results import MethodLaws, Scaling, of_methods, vector
from pytree_laws import Method, PytreeLaws

of_methods("P7", "a method that computes in float32", "`inverse, output 0`", "it is float32", "a fixed dtype",
    inverse=lambda self, y: y / self.weight * jnp.ones(3, jnp.float32))  # fmt: skip


def _refuses_bfloat16(self, y):
    if y.dtype == jnp.bfloat16:
        raise TypeError("no such dtype")
    return y / self.weight


of_methods(
    "P7", "a method that refuses bfloat16", "`inverse`", "in bfloat16 it raised", inverse=_refuses_bfloat16
)


class Noisy(Scaling):
    """A map with a method that draws twice."""

    def noise(self, y, key):
        one, other = jax.random.split(key)
        noise = jax.random.normal(one, y.shape, y.dtype)
        return self.weight * noise + jax.random.uniform(other, y.shape, y.dtype)


class NoisyLaws(MethodLaws):
    methods = (Method("noise", lambda seed: (*vector(seed), sample(seed, (), "key")), (Output((3,)),)),)


def _of_one_key(self, y, key):
    return self.weight * jax.random.normal(key, y.shape) + jax.random.uniform(key, y.shape)


of_methods("P15", "a method that uses a key twice", "`noise`", "a key is used twice",
    base=NoisyLaws, right=Noisy, noise=_of_one_key)  # fmt: skip


def _folded_alike(self, y, key):
    one, other = (jax.random.fold_in(key, 0) for _ in range(2))
    return self.weight * jax.random.normal(one, y.shape) + jax.random.uniform(other, y.shape)


of_methods("P15", "a method whose two keys are computed alike", "`noise`", "draws have the key of an earlier one",
    base=NoisyLaws, right=Noisy, noise=_folded_alike)  # fmt: skip


class Handing(Scaling):
    """A map with a method that hands out a key for each of two views."""

    def view_keys(self, key):
        return jax.random.split(key)


class HandingLaws(MethodLaws):
    methods = (Method("view_keys", lambda seed: (sample(seed, (), "key"),)),)


of_methods("P15", "a method that gives one key for two views", "`view_keys`", "it gives one key twice",
    base=HandingLaws, right=Handing, view_keys=lambda self, key: (key, key))  # fmt: skip


SIGNS = {"float16": 1, "float32": 1, "float64": 1}


class OfSingles(Scaling):
    """A map with a table of dtypes, in which bfloat16 is not."""

    def __call__(self, x):
        return self.weight * x * SIGNS[x.dtype.name]


further("P7", "a call whose table of dtypes lacks bfloat16", OfSingles, Scaling, "the call in bfloat16 raised",
    base=MethodLaws)  # fmt: skip


class Whitened(eqx.Module):
    """A map with a buffer, which a method reads too."""

    weight: jax.Array
    mean: jax.Array

    def __call__(self, x):
        return self.weight * (x - jax.lax.stop_gradient(self.mean))

    def trainable(self):
        return Whitened(True, False)

    def centred(self, x, twice: bool = False):
        mean = jax.lax.stop_gradient(self.mean)
        return x - mean - mean if twice else x - mean


class WhitenedLaws(OneWeight):
    leaves = (Leaf("weight", "param", (3,)), Leaf("mean", "buffer", (3,)))
    methods = (Method("centred", vector, returns=(Output((3,)),)),)

    def inputs(self, seed):
        return {"weight": sample(seed, (3,)), "mean": sample(seed + 9, (3,))}

    def build(self, weight, mean):
        return self.cls(jnp.array(weight), jnp.array(mean))


of_methods("P9", "a method with a gradient to a buffer", "`centred`", "a gradient reaches the buffer `mean`",
    base=WhitenedLaws, right=Whitened, centred=lambda self, x: x - self.mean)  # fmt: skip


def centred_again(self, x, twice: bool = False):
    once = x - jax.lax.stop_gradient(self.mean)
    return once - self.mean if twice else once


of_methods("P9", "a method with a gradient to a buffer behind a flag", "`centred(twice=True)`",
    "a gradient reaches the buffer `mean`, which `stop_gradient` keeps away in the example",
    base=WhitenedLaws, right=Whitened, centred=centred_again)  # fmt: skip


class Flagged(Scaling):
    """A map whose call and whose inverse have a flag."""

    def __call__(self, x, negated: bool = False):
        return -self.weight * x if negated else self.weight * x

    def inverse(self, y, negated: bool = False):
        return -y / self.weight if negated else y / self.weight


of_methods("P8", "a flag of the call that does nothing", "`call(negated)`", "the same is computed",
    right=Flagged, __call__=lambda self, x, negated=False: self.weight * x)  # fmt: skip
of_methods("P8", "a flag of a method that does nothing", "`inverse(negated)`", "the same is computed",
    right=Flagged, inverse=lambda self, y, negated=False: y / self.weight)  # fmt: skip


def _negated_alone(self, y, negated=False):
    return -y / jax.lax.stop_gradient(self.weight) if negated else y / self.weight


of_methods("P9", "a gradient that ends in a method behind a flag", "`inverse(negated=True)`", "depends on `weight`",
    right=Flagged, inverse=_negated_alone)  # fmt: skip


class Sized(eqx.Module):
    """A map with a shift, of a size that is given."""

    weight: jax.Array
    shift: jax.Array | None

    def __init__(self, size: int):
        self.weight = jnp.ones(size)
        self.shift = jnp.zeros(size)

    def __call__(self, x):
        return self.weight * x + (0.0 if self.shift is None else self.shift)


class WithoutShiftOfOne(Sized):
    def __init__(self, size: int):
        self.weight = jnp.ones(size)
        self.shift = jnp.zeros(size) if size > 1 else None


class SizedLaws(Weighted):
    leaves = (Leaf("weight", "param", (3,), value=1), Leaf("shift", "param", (3,), value=0))
    returns = (Output((3,)),)

    def inputs(self, seed):
        return {"size": 3}

    def build(self, **inputs):
        return self.cls(**inputs)

    def arguments(self, seed):
        return vector(seed)


further("P2", "a part that is left out where a size is one", WithoutShiftOfOne, Sized, "`shift`",
    "an instance with size=1 does not", base=SizedLaws)  # fmt: skip


class Layers(eqx.Module):
    """A first layer and further ones, which may be stacked."""

    first: jax.Array
    further: jax.Array

    def __init__(self, stacked: bool = False, *, key):
        keys = jax.random.split(key, 4)
        self.first = jax.random.normal(keys[0], (3,))
        self.further = self.stack(keys) if stacked else jnp.stack(list(map(self.layer, keys[1:3])))

    def stack(self, keys):
        return jax.vmap(self.layer)(keys[1:3])

    def layer(self, key):
        return jax.random.normal(key, (2, 3))

    def __call__(self, x):
        return self.first * x + jnp.sum(self.further, (0, 1))


class LayersLaws(PytreeLaws):
    cls: Any = Layers
    leaves = (Leaf("first", "param", (3,), std=1.0), Leaf("further", "param", (2, 2, 3), std=1.0))

    def build(self, **inputs):
        return self.cls(**inputs)

    def arguments(self, seed):
        return (sample(seed, (3,)),)

    def call(self, instance, *arguments):
        return instance(*arguments)


class OneBefore(Layers):
    def stack(self, keys):
        return jax.vmap(self.layer)(keys[:2])


further("P15", "stacked layers of which one has the key of another", OneBefore, Layers,
    "`build with stacked=True`", "a draw of shape (3,) and a draw of shape (2, 3), for `first`, `further`", base=LayersLaws)  # fmt: skip


class Deep(eqx.Module):
    """As many layers as are asked for, which may be stacked."""

    layers: jax.Array

    def __init__(self, depth: int, stacked: bool = False, *, key):
        keys = jax.random.split(key, depth)
        self.layers = self.stack(keys) if stacked else jnp.stack(list(map(self.layer, keys)))

    def stack(self, keys):
        return jax.vmap(self.layer)(keys)

    def layer(self, key):
        return jax.random.normal(key, (3,))

    def __call__(self, x):
        return jnp.sum(self.layers, 0) * x


class DeepLaws(LayersLaws):
    leaves = (Leaf("layers", "param", (1, 3), std=1.0),)

    def inputs(self, seed):
        return {"depth": 1, "key": jax.random.key(seed)}


class OneForAll(Deep):
    def stack(self, keys):
        return jax.vmap(self.layer)(jnp.stack([keys[0]] * len(keys)))


further("P15", "stacked layers that all have the key of the first", OneForAll, Deep,
    "`build with stacked=True, depth=2`", "one key serves a draw of shape (3,)", base=DeepLaws)  # fmt: skip


class DrawnOnce(Deep):
    def stack(self, keys):
        return jnp.broadcast_to(self.layer(keys[0]), (len(keys), 3))


further("P15", "one draw that is all of the stacked layers", DrawnOnce, Deep,
    "`layers with stacked=True, depth=2`", "its rows are one and the same draw", base=DeepLaws)  # fmt: skip


class Ring(eqx.Module):
    """Gives what it holds at a place that is drawn, and begins empty."""

    held: jax.Array

    def __init__(self):
        self.held = jnp.zeros((5, 3))

    def __call__(self, x, *, key):
        return x * self.held[self.place(key)]

    def place(self, key):
        return jax.random.randint(key, (), 0, 5)


class RingLaws(LayersLaws):
    leaves = (Leaf("held", "param", (5, 3), value=0.0),)

    def inputs(self, seed):
        return {}

    def arguments(self, seed):
        return sample(seed, (3,)), jax.random.key(seed)

    def call(self, instance, x, key):
        return instance(x, key=key)


class OnePlace(Ring):
    def place(self, key):
        return 0 * jax.random.randint(key, (), 0, 5)


further("P16", "an empty ring that gives one place whatever is drawn", OnePlace, Ring, "eight keys give the same output",
    base=RingLaws)  # fmt: skip
