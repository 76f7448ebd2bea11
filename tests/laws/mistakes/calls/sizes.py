"""Sizes that a call has as numbers, where it should read them off its arrays."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from harness.pairs import further
from right.specimens import Leaf, Output, PytreeLaws, sample


class Heads(eqx.Module):
    """A product in parts: one for each head, which must divide the size."""

    weight: jax.Array
    heads: int = eqx.field(static=True)

    def __init__(self, key, size: int, heads: int):
        self.weight, self.heads = jax.random.normal(key, (size, size)), heads

    def __call__(self, x):
        parts = (self.weight @ x).reshape(self.heads, -1)
        return (parts - parts.mean(-1, keepdims=True)).reshape(-1)


class HeadsLaws(PytreeLaws):
    leaves = (Leaf("weight", "param", (6, 6)),)
    static = {"heads": 3}  # noqa: RUF012
    returns = (Output((6,)),)
    drawn = ("weight",)
    cls: Any = None

    def inputs(self, seed):
        return {"key": jax.random.key(seed), "size": 6, "heads": 3}

    def build(self, **inputs):
        return self.cls(**inputs)

    def arguments(self, seed):
        return (sample(seed, (6,)),)

    def call(self, instance, *arguments):
        return instance(*arguments)


class OfSixParts(Heads):
    def __call__(self, x):
        parts = (self.weight @ x).reshape(self.heads, 2)
        return (parts - parts.mean(-1, keepdims=True)).reshape(-1)


class OfSixTerms(Heads):
    def __call__(self, x):
        return super().__call__(x) + jnp.arange(6)


class TheRest(Heads):
    def __call__(self, x):
        return super().__call__(x) + jnp.arange(len(x))


class OfSixColumns(Heads):
    def __call__(self, x):
        return super().__call__(x) + self.weight[:, :6] @ x


class AllColumns(Heads):
    def __call__(self, x):
        return super().__call__(x) + self.weight @ x


WORDS = ("the call takes no other size", "a number where the size of an array belongs")
further("P7", "A reshape to a number in the place of a size", OfSixParts, Heads, *WORDS, base=HeadsLaws)
further("P7", "As many terms as a number says", OfSixTerms, TheRest, *WORDS, base=HeadsLaws)
further("P7", "A slice of as many columns as a number says", OfSixColumns, AllColumns, *WORDS, base=HeadsLaws)
