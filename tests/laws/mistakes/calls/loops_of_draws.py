"""Draws in loops: keys that go into two loops, and keys that no round changes."""

import equinox as eqx
import jax
import jax.numpy as jnp
from right.specimens import Leaf

from mistakes.calls.configurations import wrong
from mistakes.calls.randomness import DroppingLaws


def walk(keys, dtype):
    """Where the steps lead that are drawn with these keys."""

    def step(at, key):
        return at + jax.random.normal(key, (), dtype), None

    return jax.lax.scan(step, jnp.zeros((), dtype), keys)[0]


class Walks(eqx.Module):
    """A walk for each element, whose keys are split under `vmap` and go into a loop."""

    weight: jax.Array

    def __call__(self, x, *, key):
        keys = jax.random.split(key, 3)
        return self.weight * x + jax.vmap(lambda each: walk(jax.random.split(each, 4), x.dtype))(keys)


class WalksTwice(Walks):
    def __call__(self, x, *, key):
        keys = jax.random.split(key, 4)
        return self.weight * x + walk(keys, x.dtype) + walk(keys, x.dtype)


class WalksLaws(DroppingLaws):
    leaves = (Leaf("weight", "param", (3,)),)


wrong("keys of two loops", "P15", WalksTwice, "a key is used twice", fixed=Walks, base=WalksLaws)


class Rollout(Walks):
    """Noise in each of its steps."""

    def __call__(self, x, *, key):
        def step(at, each):
            return at + self.weight * jax.random.normal(each, x.shape, x.dtype), None

        return jax.lax.scan(step, x, jax.random.split(key, 4))[0]


class RollsAlike(Walks):
    """One key from outside of the loop."""

    def __call__(self, x, *, key):
        def step(at, _):
            return at + self.weight * jax.random.normal(key, x.shape, x.dtype), None

        return jax.lax.scan(step, x, None, length=4)[0]


class CarriesKey(Walks):
    """A key that is carried, and not split."""

    def __call__(self, x, *, key):
        def step(_, carry):
            at, key = carry
            return at + self.weight * jax.random.normal(key, x.shape, x.dtype), key

        return jax.lax.fori_loop(0, 4, step, (x, key))[0]


class SplitsCarried(Walks):
    def __call__(self, x, *, key):
        def step(_, carry):
            at, key = carry
            key, each = jax.random.split(key)
            return at + self.weight * jax.random.normal(each, x.shape, x.dtype), key

        return jax.lax.fori_loop(0, 4, step, (x, key))[0]


EACH_ROUND = "each round of its loop draws the same numbers"
wrong("one key in all rounds of a scan", "P15", RollsAlike, EACH_ROUND, fixed=Rollout, base=WalksLaws)
wrong("a key that a loop carries and never splits", "P15", CarriesKey, EACH_ROUND, fixed=SplitsCarried, base=WalksLaws)  # fmt: skip
