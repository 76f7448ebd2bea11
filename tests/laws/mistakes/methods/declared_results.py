"""Mistakes behind flags and settings: results of another form than is annotated, each with the form that is right."""

import equinox as eqx
import jax
import jax.numpy as jnp
from harness.pairs import Weighted, further
from jaxtyping import Array, Float, Int32
from right.specimens import Leaf, Output, sample

from mistakes.methods.method_results import INVERSE, MethodLaws, Scaling, of_methods, vector
from pytree_laws import Method


class Ends(eqx.Module):
    """Knows the mean and the ends of what it weighs."""

    weight: jax.Array
    doubled: bool = eqx.field(static=True)

    def __call__(self, x: Float[Array, " n"], *, cubed: bool = False) -> Float[Array, " n"]:
        return self.weight * x * (2 if self.doubled else 1) + (x**3 if cubed else 0)

    def mean(self, x: Float[Array, "..."], *, weighted: bool = True) -> Float[Array, ""]:
        return jnp.mean(self.weight * x if weighted else x)

    def ends(self, x: Float[Array, " n"]) -> tuple[Float[Array, ""], Float[Array, " n"]]:
        return jnp.max(self.weight) * (2 if self.doubled else 1), self.weight * x


class EndsLaws(MethodLaws):
    static = {"doubled": False}  # noqa: RUF012
    returns = (Output((3,)),)
    methods = (
        Method("mean", vector, returns=(Output(()),)),
        Method("ends", vector, returns=(Output(()), Output((3,)))),
    )

    def inputs(self, seed):
        return {"weight": sample(seed, (3,)), "doubled": False}

    def build(self, weight, doubled):
        return self.cls(jnp.array(weight), doubled)


def of_ends(title, *words, **body):
    of_methods("P7", title, *words, base=EndsLaws, right=Ends, __module__=__name__, **body)


def _call(wide):
    """A call that gives something else where it is `cubed`."""

    def call(self, x: Float[Array, " n"], *, cubed: bool = False) -> Float[Array, " n"]:
        return wide(Ends.__call__(self, x, cubed=cubed)) if cubed else Ends.__call__(self, x)

    return call


def _mean(other):
    """A mean that is something else where nothing is weighted."""

    def mean(self, x: Float[Array, " n"], *, weighted: bool = True) -> Float[Array, ""]:
        return Ends.mean(self, x) if weighted else other(x)

    return mean


def _ends(other):
    """Ends that are others where they are doubled."""

    def ends(self, x: Float[Array, " n"]) -> tuple[Float[Array, ""], Float[Array, " n"]]:
        return other(*Ends.ends(self, x)) if self.doubled else Ends.ends(self, x)

    return ends


of_ends("a call that has one more axis behind a flag", "`call(cubed=True)`", "the shape is (1, 3)",
    __call__=_call(lambda y: y[None]))  # fmt: skip
of_ends("a call that has two results behind a flag", "`call(cubed=True)`", "it gives 2 arrays, and its annotation one",
    __call__=_call(lambda y: (y, y)))  # fmt: skip
of_ends("a mean in another dtype behind a flag", "`mean(weighted=False), output 0`", "arguments it is float32",
    mean=_mean(lambda x: jnp.mean(x).astype(jnp.float32)))  # fmt: skip
of_ends(
    "a mean that is none behind a flag",
    "`mean(weighted=False)`",
    "the shape is (3,)",
    mean=_mean(lambda x: x),
)
of_ends("a mean in half precision behind a flag", "`mean(weighted=False)`", "the dtype is bfloat16",
    mean=_mean(lambda x: jnp.mean(x).astype("bfloat16")))  # fmt: skip
of_ends("ends of which a setting leaves one out", "`ends with doubled=True, output 1`", "no such array",
    ends=_ends(lambda top, rest: (top,)))  # fmt: skip
of_ends("ends in another order where they are doubled", "`ends with doubled=True, output 0`", "the shape is (3,)",
    ends=_ends(lambda top, rest: (rest, top)))  # fmt: skip


class Turned(Scaling):
    """Turns complex numbers by its weights."""

    def turns(self):
        return jnp.exp(1j * self.weight)


class TurnedLaws(MethodLaws):
    methods = (INVERSE, Method("turns", returns=(Output((3,), "complex"),)))


of_methods("P7", "complex numbers of a fixed width", "`turns, output 0`", "it is complex64, and not complex128",
    base=TurnedLaws, right=Turned, turns=lambda self: jnp.exp((1j * self.weight).astype("complex64")))  # fmt: skip
of_methods("P7", "a method that computes in single precision", "`inverse, output 0`", "it is float32, and not float64",
    base=TurnedLaws, right=Turned, inverse=lambda self, y: (y / self.weight).astype("float32"))  # fmt: skip


class Banded(eqx.Module):
    """Counts how often each band is hit, and tells of three of them."""

    weight: Float[Array, " bands"]

    def __call__(self, x):
        return self.weight * x

    def counted(self) -> Int32[Array, " bands"]:
        return jnp.zeros(self.weight.shape, jnp.int32).at[0].add(1)

    def first(self) -> Float[Array, " 3"]:
        return self.weight[:3]


class CountsThree(Banded):
    def counted(self) -> Int32[Array, " bands"]:
        return jnp.zeros(3, jnp.int32).at[0].add(1)


class BandedLaws(Weighted):
    leaves = (Leaf("weight", "param", (3,)),)
    returns = (Output((3,)),)
    methods = (
        Method("counted", returns=(Output((3,), "int32"),)),
        Method("first", returns=(Output((3,)),)),
    )

    def inputs(self, seed):
        return {"weight": sample(seed, (3,))}

    def arguments(self, seed):
        return (sample(seed, (3,)),)


further("P7", "a method with a size of the example", CountsThree, Banded,
    "`counted`: where `bands` is 4, axis 0 of what it gives has 3", base=BandedLaws)  # fmt: skip
