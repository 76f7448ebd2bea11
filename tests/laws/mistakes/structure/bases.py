"""Mistakes in shared arrays and in abstract classes that are in no catalogue, each with the form that is right."""

# ruff: noqa: RUF012 - suites declare plain dicts, as their users do
import abc
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from harness.pairs import FURTHER, Pair, Weighted, further
from right.specimens import Leaf, Output, sample

from pytree_laws.abstract import AbstractLaws
from pytree_laws.shared import SharedLaws

# --- Shared arrays ---


class Tied(eqx.Module):
    """A right pair of maps: the second is the first one, transposed."""

    weight: jax.Array

    @property
    def head(self):
        return self.weight.T

    def __call__(self, x):
        return self.head @ jnp.tanh(self.weight @ x)


class TiedLaws(SharedLaws, Weighted):
    leaves = (Leaf("weight", "param", (3, 2)),)
    returns = (Output((2,)),)
    ties = {"head": "weight"}

    def inputs(self, seed):
        return {"weight": sample(seed, (3, 2))}

    def arguments(self, seed):
        return (sample(seed, (2,)),)


class OtherName(eqx.Module):
    """Stores the array under another name than the one that is declared."""

    table: jax.Array
    head = property(lambda self: self.table.T)

    def __call__(self, x):
        return self.head @ jnp.tanh(self.table @ x)


class NumPyDropout(Tied):
    """Drops entries by a mask that is drawn anew in each trace."""

    def __call__(self, x):
        mask = np.random.default_rng().random(x.shape)
        return super().__call__(x) * jnp.asarray(mask, x.dtype)


class StoredTwice(eqx.Module):
    weight: jax.Array
    head: jax.Array

    def __init__(self, weight):
        self.weight, self.head = weight, jnp.array(weight.T)

    __call__ = Tied.__call__


class Unused(Tied):
    """Reads the stored array itself, and not the shared one."""

    def __call__(self, x):
        return self.weight.T @ jnp.tanh(self.weight @ x)


def shared(law, title, broken, *words):
    further(law, title, broken, Tied, *words, base=TiedLaws)


shared(
    "P13",
    "a tie to an array of another name",
    OtherName,
    "declared as the leaf of `head`; the leaves are ['table']",
)
shared("P9", "dropout by NumPy behind a shared array", NumPyDropout, "its leaf has the gradient")
shared("P9", "a shared array that the call does not read", Unused, "no gradient comes through it")
shared("P2", "a shared array that is stored itself", StoredTwice, "declared as tied to `weight`")
shared("P9", "a shared array that a training step unties", StoredTwice, "after a training step it is")
shared("P13", "a shared array that an edit unties", StoredTwice, "after an edit it is")

# --- Abstract classes ---


class AbstractMap(eqx.Module):
    """A right base: it asks for a gain and a call."""

    gain: eqx.AbstractVar[Any]

    @abc.abstractmethod
    def __call__(self, x):
        """The map of `x`."""


class MapLaws(AbstractLaws):
    cls = AbstractMap
    fields = ("gain",)
    methods = ("__call__",)


class PlainBase(abc.ABC):
    """A base that is no Module."""

    @abc.abstractmethod
    def __call__(self, x):
        """The map of `x`."""


class Buildable(eqx.Module):
    """A base with fields and a call like any class."""

    gain: Any = None

    def __call__(self, x):
        return self.gain * x


class AsksForMore(AbstractMap):
    """Asks for a member that is not declared."""

    @abc.abstractmethod
    def inverse(self, y):
        """The inverse of the map."""


class MethodLeftOut(eqx.Module):
    """Its call is not marked as abstract."""

    gain: eqx.AbstractVar[Any]

    def __call__(self, x):
        raise NotImplementedError


class Forgets(AbstractMap):
    """A copy of a subclass holds nothing."""

    def __getstate__(self):
        return {}


class EqualByClass(AbstractMap):
    """All instances of a subclass are equal."""

    def __eq__(self, other):
        return type(self) is type(other)

    __hash__ = eqx.Module.__hash__


class RefusesCopies(AbstractMap):
    """It refuses what every pytree takes."""

    def __copy__(self):
        raise RuntimeError("there is one of each")


def abstract(title, base, *words):
    broken = type(f"{base.__name__}Laws", (MapLaws,), {"cls": base, "__module__": __name__})
    FURTHER[title] = Pair(title, broken, MapLaws, "abstract", words)


abstract("an abstract base that is no Module", PlainBase, "subclasses would be no pytrees")
abstract(
    "an abstract base that can be built",
    Buildable,
    "A1 abstract, at `Buildable`: it can be built, and is to be abstract",
)
abstract(
    "a base that asks for more than is declared",
    AsksForMore,
    "a subclass with every declared member raised TypeError",
    "inverse",
)
abstract(
    "a method of a base that is not abstract",
    MethodLeftOut,
    "A1 abstract, at `__call__`: a subclass without it can be built",
)
abstract("a base whose state for copies is empty", Forgets, "a copy of a subclass is", "__getstate__")
abstract(
    "a base that compares the class alone",
    EqualByClass,
    "two instances of a subclass that hold other values are equal",
    "hashes differ",
)
abstract(
    "a base that refuses copies",
    RefusesCopies,
    "the class under test raised RuntimeError: there is one of each",
)
