"""Mistakes in what a call depends on and keeps that are in no catalogue, each with the form that is right."""

# ruff: noqa: RUF012 - suites declare plain dicts, as their users do
import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from harness.pairs import FURTHER, One, Pair, Weighted, further, suite_of
from right.specimens import Leaf, sample


class NumPyNoise(One):
    def __call__(self, x):
        noise = np.random.default_rng().standard_normal(x.shape)
        return self.weight * x + jnp.asarray(noise, x.dtype)


class NoNoise(One):
    def __call__(self, x):
        return self.weight * x


further("P12", "noise of NumPy in the call, which jit makes a constant", NumPyNoise, NoNoise)


class HeldKey(eqx.Module):
    """Draws with the key that it holds, and never looks at the one that it is given."""

    weight: jax.Array
    key: jax.Array

    def __call__(self, x, key):
        return self.weight * x + jax.random.normal(self.key, x.shape, x.dtype)


class NoDraw(HeldKey):
    """Draws only where it trains, which is not here."""

    def __call__(self, x, key):
        return self.weight * x


class HeldKeyLaws(Weighted):
    leaves = (Leaf("weight", "param", (3,)), Leaf("key", "key", ()))
    ignores_key = True

    def build(self, weight):
        return self.cls(jnp.array(weight), jax.random.key(3))

    def arguments(self, seed):
        return sample(seed, (3,)), sample(seed, (), "key")


further(
    "P16",
    "noise from a key that is held, and not from the one that is given",
    HeldKey,
    NoDraw,
    "1 of its draws have another",
    base=HeldKeyLaws,
)


class ShownKey(HeldKey):
    def __call__(self, x, key):
        return self.weight * x + jax.random.key_data(key)[-1].astype(x.dtype)


further("P16", "a key that is said to be ignored", ShownKey, NoDraw, "two keys give", base=HeldKeyLaws)


class UselessBesideEmpty(eqx.Module):
    """A parameter without a use, beside one without elements that can have none."""

    weight: jax.Array
    empty: jax.Array

    def __call__(self, x):
        return jnp.concatenate([x, self.empty * self.empty])


class UsedBesideEmpty(UselessBesideEmpty):
    def __call__(self, x):
        return jnp.concatenate([self.weight * x, self.empty * self.empty])


class BesideEmptyLaws(Weighted):
    leaves = (Leaf("weight", "param", (3,)), Leaf("empty", "param", (0,)))

    def build(self, weight):
        return self.cls(jnp.array(weight), jnp.zeros((0,), weight.dtype))


further(
    "P9",
    "a parameter without a use, beside one without elements",
    UselessBesideEmpty,
    UsedBesideEmpty,
    "`weight`",
    base=BesideEmptyLaws,
)


class Recomputed(One):
    @functools.cached_property
    def total(self):
        return jnp.sum(self.weight)

    def __call__(self, x):
        return x / self.total + self.weight


class RecomputedRightly(One):
    @property
    def total(self):
        return jnp.sum(self.weight)

    def __call__(self, x):
        return x / self.total + self.weight


further("P12", "a cached property of a Module", Recomputed, RecomputedRightly)


class Columns(eqx.Module):
    """Adds a column to a row: a square where a row was meant."""

    weight: jax.Array

    def __call__(self, x):
        column = x[:, None]
        return jnp.mean(self.weight - column, axis=0)


class Rows(Columns):
    def __call__(self, x):
        return self.weight - x


further("P7", "a column minus a row", Columns, Rows, "rank_promotion", broadcasts=False)


class SizeLeaf(eqx.Module):
    weight: jax.Array
    size: jax.Array

    def __call__(self, x):
        return self.weight * x + jnp.zeros(self.size, x.dtype)


class SizeStatic(eqx.Module):
    weight: jax.Array
    size: int = eqx.field(static=True)

    __call__ = SizeLeaf.__call__


class SizeLaws(Weighted):
    leaves = (Leaf("weight", "param", (3,)), Leaf("size", "buffer", (), "int32"))

    def build(self, weight):
        return self.cls(jnp.array(weight), jnp.asarray(3, jnp.int32))


class SizeStaticLaws(Weighted):
    static = {"size": 3}
    cls = SizeStatic

    def build(self, weight):
        return self.cls(jnp.array(weight), 3)


_title = "a size that is an array"
FURTHER[_title] = Pair(_title, suite_of(SizeLeaf, SizeLaws), SizeStaticLaws, "P7", ("Shapes must be 1D",))


class Order(eqx.Module):
    """Layers in a dict: as inserted at first, by name after a round trip."""

    layers: dict[str, jax.Array]

    def __call__(self, x):
        for layer in self.layers.values():
            x = jnp.tanh(layer * x + 1)
        return x


class OrderByName(Order):
    def __call__(self, x):
        for name in sorted(self.layers, key=len):
            x = jnp.tanh(self.layers[name] * x + 1)
        return x


class OrderLaws(Weighted):
    leaves = (Leaf("layers.layer2", "param", (3,)), Leaf("layers.layer10", "param", (3,)))

    def build(self, weight):
        return self.cls({"layer2": jnp.array(weight), "layer10": 2 * weight})


further("P7", "layers in the order of a dict, which jax sorts by name", Order, OrderByName, base=OrderLaws)
