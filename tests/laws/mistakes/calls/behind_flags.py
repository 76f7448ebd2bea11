"""Mistakes that stand behind a flag which the example does not set."""

# ruff: noqa: RUF012 - suites declare plain dicts, as their users do
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from harness.pairs import Weighted, further
from right.specimens import Leaf, Output, sample

TRIED: list[Any] = []
"""What a wrong form appends to."""


class Noisy(eqx.Module):
    """A right form: noise, and where it is `hard` other noise besides."""

    weight: jax.Array
    mean: jax.Array
    hard: bool = eqx.field(static=True)

    def __call__(self, x, *, key):
        first, second = jax.random.split(key)
        x = x - jax.lax.stop_gradient(self.mean)
        y = self.weight * (x + jax.random.normal(first, x.shape, x.dtype))
        return self.harden(y, first, second) if self.hard else y

    def harden(self, y, first, second):
        return jnp.tanh(y + jax.random.gumbel(second, y.shape, y.dtype))

    def trainable(self):
        return eqx.tree_at(lambda noisy: noisy.mean, jax.tree.map(lambda _: True, self), False)


class NoisyLaws(Weighted):
    leaves = (Leaf("weight", "param", (3,)), Leaf("mean", "buffer", (3,)))
    static = {"hard": False}
    returns = (Output((3,)),)

    def inputs(self, seed):
        return {"weight": sample(seed, (3,)), "mean": sample(seed + 1, (3,)), "hard": False}

    def build(self, weight, mean, hard=False):
        return self.cls(jnp.array(weight), jnp.array(mean), hard)

    def arguments(self, seed):
        return sample(seed, (3,)), jax.random.key(seed)

    def call(self, instance, x, key):
        return instance(x, key=key)


class DrawsWithTheFirstKey(Noisy):
    def harden(self, y, first, second):
        return super().harden(y, second, first)


class KeepsWhatIsHard(Noisy):
    def harden(self, y, first, second):
        object.__setattr__(self, "last", y)
        return super().harden(y, first, second)


class CountsItsCalls(Noisy):
    def harden(self, y, first, second):
        object.__setattr__(self, "calls", getattr(self, "calls", 0) + 1)
        return super().harden(y, first, second)


class Prints(Noisy):
    def harden(self, y, first, second):
        print("hard")
        return super().harden(y, first, second)


class Appends(Noisy):
    def harden(self, y, first, second):
        TRIED.append(y.shape)
        return super().harden(y, first, second)


class ClearsNothing(Noisy):
    def harden(self, y, first, second):
        y.at[0].set(0.0).at[1].set(0.0)
        return super().harden(y, first, second)


class PicksLater(Noisy):
    """A right form: what is computed ahead is of use where it is not hard."""

    def __call__(self, x, *, key):
        cleared = x.at[0].set(0.0)
        return super().__call__(x if self.hard else cleared, key=key)


class FixesTheDtype(Noisy):
    def harden(self, y, first, second):
        return jnp.tanh(y + jax.random.gumbel(second, y.shape, jnp.float32))


class ReadsTheMean(Noisy):
    def harden(self, y, first, second):
        return super().harden(y + self.mean, first, second)


class TrainsTheMean(Noisy):
    def trainable(self):
        return eqx.tree_at(lambda noisy: noisy.mean, super().trainable(), self.hard)


def behind(law, title, broken, *words):
    further(law, f"{title}, behind a flag", broken, Noisy, *words, base=NoisyLaws)


LEFT = "a tracer was left behind by a call inside jit"
behind("P15", "two draws with one key", DrawsWithTheFirstKey, "`call with hard=True`", "key of an earlier")
behind("P12", "a tracer on the instance", KeepsWhatIsHard, "last with hard=True`", LEFT)
behind("P12", "a count of calls", CountsItsCalls, "with hard=True`", "changed what the instance holds")
behind("P12", "a print that was left over", Prints, "`call with hard=True`", "it printed 'hard")
behind("P12", "a list that grows", Appends, "TRIED with hard=True`", "each call changes it")
behind("P12", "an update that is dropped", ClearsNothing, "`call with hard=True`", "y.at[0].set(0.0).at")
further(
    "P12",
    "an update that a flag leaves out, dropped besides",
    ClearsNothing,
    PicksLater,
    "y.at[0]",
    base=NoisyLaws,
)
behind("P7", "noise of a fixed dtype", FixesTheDtype, "`output 0 with hard=True`", "it is float32")
behind("P9", "a buffer that is read as it is", ReadsTheMean, "`mean with hard=True`", "a gradient reaches it")
behind("P16", "a buffer that is trained", TrainsTheMean, "`trainable with hard=True`", "it selects ['mean']")
