"""Mistakes in filter specs and masks that are in no catalogue, each with the form that is right."""

# ruff: noqa: RUF012 - suites declare plain dicts, as their users do

import equinox as eqx
import jax
import jax.numpy as jnp
from harness.pairs import Weighted, further
from right.specimens import Leaf, sample


class ByRank(eqx.Module):
    weight: jax.Array
    bias: jax.Array

    def __call__(self, x):
        return self.weight @ x + self.bias

    def matrices(self):
        return jax.tree.map(lambda leaf: leaf.ndim > 0, self)


class ByPath(ByRank):
    def matrices(self):
        return eqx.tree_at(lambda one: one.weight, jax.tree.map(lambda _: False, self), True)


class RankLaws(Weighted):
    leaves = (Leaf("weight", "param", (3, 2)), Leaf("bias", "param", (3,)))
    filters = {"matrices": ("weight",)}

    def inputs(self, seed):
        return {"weight": sample(seed, (3, 2))}

    def arguments(self, seed):
        return (sample(seed, (2,)),)

    def build(self, weight):
        return self.cls(jnp.array(weight), jnp.zeros(3, weight.dtype))


further("P16", "a mask of the optimiser by rank", ByRank, ByPath, "`matrices`", base=RankLaws)


class NotZero(ByRank):
    def matrices(self):
        return jax.tree.map(lambda leaf: bool(jnp.any(leaf != 0)), self)


further("P16", "a mask of the optimiser by value", NotZero, ByPath, "`matrices`", base=RankLaws)


class TrainsFloats(eqx.Module):
    """Floating arrays are trained, which complex ones are none of."""

    weight: jax.Array

    def __init__(self, size, dtype=jnp.float32):
        self.weight = jnp.ones(size, dtype)

    def __call__(self, x):
        return self.weight * x

    def trainable(self):
        return jax.tree.map(lambda leaf: bool(jnp.issubdtype(leaf.dtype, jnp.floating)), self)


class TrainsNumbers(TrainsFloats):
    def trainable(self):
        return jax.tree.map(lambda leaf: bool(jnp.issubdtype(leaf.dtype, jnp.inexact)), self)


class DtypeLaws(Weighted):
    leaves = (Leaf("weight", "param", (3,), value=1),)
    takes_dtype = True

    def inputs(self, seed):
        return {"size": 3}

    def build(self, **inputs):
        return self.cls(**inputs)


further(
    *("P16", "a filter by the floating dtypes alone", TrainsFloats, TrainsNumbers),
    *("`weight`", "built in complex64, it is not trained"),
    base=DtypeLaws,
)


class Layered(eqx.Module):
    """A weight that decays, and a bias that does not."""

    weight: jax.Array
    bias: jax.Array

    def __init__(self, weight):
        self.weight, self.bias = jnp.array(weight), jnp.zeros_like(weight)

    def __call__(self, x):
        return self.weight * x + self.bias

    def decayed(self):
        return eqx.tree_at(lambda one: one.bias, jax.tree.map(lambda _: True, self), False)


class LayeredByArrays(Layered):
    """Its suite has a mask that asks each array."""


def asks_modules(tree):
    def answers(node):
        return hasattr(node, "decayed")

    return jax.tree.map(lambda node: node.decayed() if answers(node) else True, tree, is_leaf=answers)


class DecayLaws(Weighted):
    leaves = (Leaf("weight", "param", (3,)), Leaf("bias", "param", (3,), value=0))
    undecayed = ("bias",)

    @property
    def decay_mask(self):
        by_arrays = self.cls is LayeredByArrays
        return (lambda tree: jax.tree.map(lambda _: True, tree)) if by_arrays else asks_modules


further(
    *("P16", "a mask for optax that asks each array", LayeredByArrays, Layered),
    *("of itself it selects ['bias', 'weight'], wanted is ['weight']",),
    base=DecayLaws,
)
