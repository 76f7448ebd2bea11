"""Methods that keep, change or lose something: each beside its right form."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from harness.pairs import further
from right.specimens import Output, sample

from mistakes.methods.method_results import (
    MethodLaws,
    Plain,
    PlainLaws,
    Scaling,
    kept_as,
    of_methods,
    registered,
)
from pytree_laws import Method


@registered
class KeepsTracer(Plain):
    inverse = kept_as("last")


@registered
class KeepsNumber(Plain):
    def inverse(self, y):
        self.uses = getattr(self, "uses", 0) + 1
        return y / self.weight


further(
    "P12",
    "a method that keeps its result on self",
    KeepsTracer,
    Plain,
    "a tracer was left behind by a use inside jit",
    base=PlainLaws,
)
further(
    "P12",
    "a method that counts on self",
    KeepsNumber,
    Plain,
    "it changed what the instance holds: `uses`",
    base=PlainLaws,
)


class Box:
    """What instances share, and what can hold anything; each equals the others."""

    def __eq__(self, other):
        return isinstance(other, Box)

    def __hash__(self):
        return hash(Box)


class Boxing(eqx.Module):
    """Has a box, and leaves it alone."""

    weight: jax.Array
    box: Box = eqx.field(static=True, default_factory=Box)

    def __call__(self, x):
        return self.weight * x

    def inverse(self, y):
        return y / self.weight

    @property
    def norm(self):
        return jnp.sum(self.weight**2)


class KeepsInABox(Boxing):
    def inverse(self, y):
        self.box.last = y / self.weight
        return self.box.last


further(
    "P12",
    "a method that keeps its result in what instances share",
    KeepsInABox,
    Boxing,
    "a tracer was left behind by a use inside jit",
    base=PlainLaws,
)


class Filling(Scaling):
    def filled(self, out):
        return jnp.asarray(out) * self.weight


class FillsInPlace(Filling):
    def filled(self, out):
        if isinstance(out, np.ndarray):
            out *= 2
        return jnp.asarray(out) * self.weight


class FillLaws(MethodLaws):
    methods = (Method("filled", lambda seed: (np.array(sample(seed, (3,))),)),)


further(
    "P12",
    "a method that writes into its argument",
    FillsInPlace,
    Filling,
    "changed its arguments in place",
    base=FillLaws,
)
SEEN: list[int] = []


class Notes(Scaling):
    def inverse(self, y):
        SEEN.append(len(SEEN))
        return y / self.weight


further(
    "P12", "a method that notes its uses in the module", Notes, Scaling, "it changed", "SEEN", base=MethodLaws
)


def _prints(self, y):
    jax.debug.print("{}", y)
    return y / self.weight


def _forgets(self, y):
    y.at[0].set(0)
    return y / self.weight


of_methods("P12", "a method that prints", "`inverse`", "it has side effects", inverse=_prints)
of_methods(
    "P12",
    "a method whose update is lost",
    "`inverse`",
    "nothing uses the result of scatter",
    inverse=_forgets,
)


class Noisy(Scaling):
    def noise(self, key):
        return self.weight + jax.random.normal(key, (3,), self.weight.dtype)


class NoisyLaws(MethodLaws):
    methods = (Method("noise", lambda seed: (sample(seed, (), "key"),), returns=(Output((3,)),)),)


of_methods("P12", "a method with a constant key", "`noise`", "depend on nothing that it is given",
    base=NoisyLaws, right=Noisy,
    noise=lambda self, key: self.weight + jax.random.normal(jax.random.key(0), (3,), self.weight.dtype))  # fmt: skip


class LoweredLaws(MethodLaws):
    lower_for = ("tpu", "cpu")


def _schur(self, y):
    return y / self.weight + jax.scipy.linalg.schur(jnp.outer(y, y))[0][0]


of_methods("P18", "a method that lowers for the cpu alone", "`inverse`", "`tpu` has no primitive `schur`",
    base=LoweredLaws, inverse=_schur)  # fmt: skip
