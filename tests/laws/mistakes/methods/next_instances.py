"""Mistakes in methods that give the next instance: what it has is not what the instance had whose method it is."""

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
from harness.pairs import Weighted, further
from right.specimens import Leaf, sample

from pytree_laws import Method


class Averaged(eqx.Module):
    """A running average, with the number of what it has seen."""

    mean: jax.Array
    seen: jax.Array
    rate: float = eqx.field(static=True)
    squash: Callable = eqx.field(static=True)
    frozen: bool = eqx.field(static=True)

    def __call__(self, x):
        return self.squash(self.mean * x) * self.rate

    def moved(self, x):
        if self.frozen:
            return self
        return self.next((self.mean * (1 - self.rate) + self.rate * x).astype(self.mean.dtype), self.seen + 1)

    def cleared(self, *, seen: bool = True):
        return self.next(jnp.zeros_like(self.mean), jnp.zeros_like(self.seen) if seen else self.seen)

    @classmethod
    def fresh(cls, size: int = 3):
        return cls(jnp.zeros(size, jnp.float32), jnp.zeros((), jnp.int32), 0.5, jnp.tanh, False)

    def next(self, mean, seen):
        return type(self)(mean, seen, self.rate, self.squash, self.frozen)


class AveragedLaws(Weighted):
    leaves = (Leaf("mean", "param", (3,)), Leaf("seen", "data", (), "int32"))
    static = {"rate": 0.5, "squash": jnp.tanh, "frozen": False}  # noqa: RUF012
    returns = ()
    methods = (Method("moved", lambda seed: (sample(seed + 5, (3,)),), carry="self"), Method("cleared"))
    skips = ("trivial_subclass",)

    def inputs(self, seed):
        return {"weight": sample(seed, (3,)), "frozen": False}

    def build(self, weight, frozen=False):
        return self.cls(jnp.array(weight), jnp.zeros((), jnp.int32), 0.5, jnp.tanh, frozen)


def of_next(title, *words, law="P11", **body):
    """A pair of the average with one method that is wrong, and of the right one."""
    name = "Wrong" + "".join(map(str.capitalize, title.split()[:4]))
    wrong = type(name, (Averaged,), {"__module__": __name__, **body})
    further(law, title, wrong, Averaged, *words, base=AveragedLaws)


def averaged(self, mean=None, seen=None, **others):
    """The next average, of the class itself."""
    settings = {"rate": self.rate, "squash": self.squash, "frozen": self.frozen, **others}
    kept = (old if new is None else new for old, new in ((self.mean, mean), (self.seen, seen)))
    return type(self)(*kept, **settings)


def cleared_by(**others):
    """A `cleared` that sets something else besides."""
    return lambda self, *, seen=True: averaged(self, mean=0 * self.mean, **others)


of_next("a cleared average that counts in floats", "of the instance that it gives, `seen` is float32", law="P7",
    cleared=cleared_by(seen=jnp.zeros(())))  # fmt: skip
of_next("a cleared average that counts from a number of Python", "`cleared.seen`", "the Python number 0",
    cleared=cleared_by(seen=0))  # fmt: skip
of_next("an average that counts anew from a number of Python behind a flag", "`cleared(seen=False).seen`", "number 0",
    cleared=lambda self, *, seen=True: averaged(self, seen=0 * self.seen if seen else 0))  # fmt: skip
of_next("a cleared average with the usual rate", "with rate=0.25.rate`", "with 0.25 the next has 0.5",
    cleared=cleared_by(rate=0.5))  # fmt: skip
of_next("a cleared average with the usual function", "`cleared with squash=sin.squash`", "with sin the next has tanh",
    cleared=cleared_by(squash=jnp.tanh))  # fmt: skip
of_next("a moved average that thaws", "`moved with frozen=True.frozen`", "with True the next has False",
    moved=lambda self, x: averaged(self, seen=self.seen + 1, frozen=False))  # fmt: skip
of_next("a count of the width that jax gives a sum", "`moved where jax has 64 bits: seen`", "'int64'",
    moved=lambda self, x: averaged(self, self.mean + x, jnp.sum(self.mean[:1] < jnp.inf) + 0 * self.seen))  # fmt: skip
of_next("an average that is weighted in the default float", "`again with arrays of bfloat16: mean`", "float32",
    again=lambda self: self.next(jnp.linspace(0, 1, 3) * self.mean, self.seen))  # fmt: skip
of_next("a cleared average in the default float", "`cleared where jax has 64 bits: mean`", "float32",
    cleared=lambda self, *, seen=True: averaged(self, mean=jnp.zeros(3, "float32")))  # fmt: skip
of_next("a moved average that is widened where it is frozen", "`moved with frozen=True: mean`", "(3, 1)",
    moved=lambda self, x: averaged(self, (self.mean + x)[:, None] if self.frozen else self.mean + x))  # fmt: skip


class Weighed(eqx.Module):
    """A sum with two rates of one type."""

    total: jax.Array
    weight: jax.Array
    rise: float = eqx.field(static=True)
    fall: float = eqx.field(static=True)

    def __call__(self, x):
        return self.rise * self.total - self.fall * x * self.weight

    def added(self, x):
        return type(self)((self.total + x).astype(self.total.dtype), self.weight, self.rise, self.fall)


class WeighedLaws(AveragedLaws):
    leaves = (Leaf("total", "param", (3,)), Leaf("weight", "param", (3,)))
    static = {"rise": 0.5, "fall": 0.25}  # noqa: RUF012
    methods = (Method("added", lambda seed: (sample(seed + 5, (3,)),), keeps=("weight", "rise", "fall")),)

    def inputs(self, seed):
        return {"weight": sample(seed, (3,))}

    def build(self, weight):
        return self.cls(jnp.zeros(3, jnp.float32), jnp.array(weight), 0.5, 0.25)


def _of_weighed(title, *words, added):
    wrong = type(f"Wrong{len(title)}", (Weighed,), {"__module__": __name__, "added": added})
    further("P11", title, wrong, Weighed, *words, base=WeighedLaws)


_of_weighed("two settings that change places in a method", "`added.rise`", "the next instance has 0.25 there, it was 0.5",
    added=lambda self, x: type(self)((self.total + x).astype(self.total.dtype), self.weight, self.fall, self.rise))  # fmt: skip
_of_weighed("an array that a method changes and says to keep", "`added.weight`", "the next instance has another array there",
    added=lambda self, x: type(self)((self.total + x).astype(self.total.dtype), 2 * self.weight, self.rise, self.fall))  # fmt: skip


of_next("a rate that falls at each step and is static", "`slowed.rate`", "compiled anew: 0.5, 0.25, 0.125, 0.0625",
    slowed=lambda self: averaged(self, rate=self.rate / 2))  # fmt: skip


def _empty(cls, size: int = 3):
    zeros = jnp.zeros(size, jnp.float32)
    return cls(zeros, zeros, 0.5, 0.25)


class _Emptied(Weighed):
    empty = classmethod(_empty)


class _EmptiedApart(Weighed):
    @classmethod
    def empty(cls, size: int = 3):
        return cls(jnp.zeros(size, jnp.float32), jnp.zeros(size, jnp.float32), 0.5, 0.25)


further("P15", "zeros that a further constructor stores twice", _Emptied, _EmptiedApart, "`empty, _Emptied.weight`",
    "shares its buffer with `total`", base=WeighedLaws)  # fmt: skip


class Started(eqx.Module):
    """What a running sum begins with."""

    total: jax.Array
    weight: jax.Array


class _Starting(Weighed):
    def start(self):
        zeros = jnp.zeros(3, self.total.dtype)
        return Started(zeros, zeros)


class _StartingApart(Weighed):
    def start(self):
        return Started(jnp.zeros_like(self.total), jnp.zeros_like(self.weight))


further("P15", "an array that a method stores in two leaves of what it begins", _Starting, _StartingApart,
    "`start, Started.weight`", "shares its buffer with `total`", base=WeighedLaws)  # fmt: skip
