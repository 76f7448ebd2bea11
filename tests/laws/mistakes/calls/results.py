"""Mistakes with arguments, results and caches that are in no catalogue, each with the form that is right."""

import functools
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
from harness.pairs import One, Weighted, further
from right.specimens import Leaf, Output, sample

from mistakes.calls.draws import ExpertLaws, Experts, normal


class TwoArguments(Weighted):
    def arguments(self, seed):
        return sample(seed, (3,)), sample(seed + 1, (3,))


class IgnoresArgument(One):
    def __call__(self, x, context):
        return self.weight * x


class UsesArguments(One):
    def __call__(self, x, context):
        return self.weight * x + context


further(
    "P8",
    "an argument that the call does not use",
    IgnoresArgument,
    UsesArguments,
    "`context`",
    base=TwoArguments,
)


class Dropped(One):
    def __call__(self, x):
        y = self.weight * x
        y.at[0].set(0)
        return y


class Assigned(One):
    def __call__(self, x):
        y = (self.weight * x).at[0].add(1)
        _ = 2 * y.at[0].set(0)  # computed further, and then left out
        return y


further(
    "P12", "the result of `.at[].set()` thrown away", Dropped, Assigned, "nothing uses the result of scatter"
)


class Unchecked(One):
    def __call__(self, x):
        eqx.error_if(x, jnp.any(x > 1e9), "x is too big")
        return self.weight * x


class Checked(One):
    def __call__(self, x):
        x = eqx.error_if(x, jnp.any(x > 1e9), "x is too big")
        return self.weight * x


further(
    "P12",
    "the result of `error_if` thrown away, and the check with it",
    Unchecked,
    Checked,
    "nothing uses the result",
)


class ClassCache(One):
    tables: ClassVar[dict] = {}

    def __call__(self, x):
        table = self.tables.setdefault((x.shape, x.dtype), jnp.arange(x.size, dtype=x.dtype))
        return self.weight * x + table


class NoCache(One):
    def __call__(self, x):
        return self.weight * x + jnp.arange(x.size, dtype=x.dtype)


further("P12", "a cache of arrays on the class", ClassCache, NoCache, "tables")


@functools.lru_cache
def _positions(size):
    return jnp.arange(size, dtype=jnp.result_type(float))


class CachedFunction(One):
    def __call__(self, x):
        return self.weight * x + _positions(x.size).astype(x.dtype)


further("P12", "a function of the module that is cached, and makes arrays", CachedFunction, NoCache)


class History(One):
    def __call__(self, x, history=[]):  # noqa: B006 - the mistake
        return self.weight * x + len(history)


class NoHistory(One):
    def __call__(self, x, history=()):
        return self.weight * x + len(history)


further("P1", "a list as a default argument of the call", History, NoHistory, "list")


class Stacked(eqx.Module):
    layers: Any

    def __call__(self, x):
        for layer in self.layers:
            x = jnp.tanh(layer(x))
        return x


class OneLayer(Stacked):
    @classmethod
    def create(cls, key):
        return cls([Experts(normal(key, (3, 3)))] * 2)


class TwoLayers(Stacked):
    @classmethod
    def create(cls, key):
        return cls([Experts(normal(one, (3, 3))) for one in jax.random.split(key)])


class StackedLaws(ExpertLaws):
    leaves = (Leaf("layers.0.weight", "param", (3, 3)), Leaf("layers.1.weight", "param", (3, 3)))
    drawn = ()

    def arguments(self, seed):
        return (sample(seed, (3,)),)


further(
    "P15", "`[layer] * n`, which is one layer", OneLayer, TwoLayers, "shares its buffer", base=StackedLaws
)


class Multiplied(One):
    def __call__(self, x):
        return self.weight * x


class BranchOnArgument(One):
    """Guards with assert: a branch on values."""

    def __call__(self, x):
        assert jnp.all(x >= -1)
        return self.weight * x


further("P7", "an assertion on the values of an argument", BranchOnArgument, Multiplied, "Tracer")


class Floored(One):
    def __call__(self, x):
        return self.weight * x.astype(jnp.int32)


further(
    "P9",
    "an argument cast to integers, which no gradient passes",
    Floored,
    Multiplied,
    survives="no law asks for gradients of arguments",
)


class Greatest(One):
    """The place of the greatest product."""

    def __call__(self, x):
        return jnp.argmax(self.weight * x).astype(jnp.int32)


class GreatestOfAnyWidth(One):
    def __call__(self, x):
        return jnp.argmax(self.weight * x)


further(
    *("P7", "an index of the width that jax gives it, from the call", GreatestOfAnyWidth, Greatest),
    *("at `output 0`", "declared is int32, and where jax has 64 bits it is int64"),
    returns=(Output((), "int32"),),
    skips=("p08", "p09"),
)
