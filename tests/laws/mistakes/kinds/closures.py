"""Mistakes in closures that are in no catalogue, each with the form that is right."""

# ruff: noqa: RUF012 - suites declare plain dicts, as their users do
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from harness.pairs import Weighted, further
from jax.core import Tracer
from right.specimens import Leaf, Output, sample

from pytree_laws.closure import ClosureLaws

CLOSURES = "closure"


def structure_of(arguments):
    if type(arguments) is not tuple:
        raise TypeError("`example` must be the tuple of all arguments of the call")
    leaves, treedef = jax.tree.flatten(arguments)
    return tuple(jax.ShapeDtypeStruct(jnp.shape(v), jnp.result_type(v)) for v in leaves), treedef


class Rate(eqx.Module):
    """A right closure: it holds a weight, and takes what has the structure of its example."""

    weight: jax.Array
    structure: Any = eqx.field(static=True)

    @classmethod
    def create(cls, weight, example):
        return cls(jnp.array(weight), structure_of(example))

    def compute(self, x):
        return jnp.tanh(self.weight * x)

    def __call__(self, *arguments):
        given = structure_of(arguments)
        if given != self.structure:
            shown = [jax.tree.unflatten(treedef, leaves) for leaves, treedef in (self.structure, given)]
            raise TypeError(f"it takes {shown[0]}, and was given {shown[1]}")
        return self.compute(*arguments)

    def as_function(self):
        return lambda *arguments: self(*arguments)


class RateLaws(ClosureLaws, Weighted):
    other = {"example": ()}

    def inputs(self, seed):
        return {**super().inputs(seed), "example": self.arguments(seed)}

    def build(self, weight, example):
        return self.cls.create(weight, example)


def wrong(title, broken, *words, base=RateLaws, **declared):
    further(CLOSURES, title, broken, Rate, *words, base=base, **declared)


class OtherFunction(Rate):
    """Its function leaves the last step out."""

    def as_function(self):
        return lambda x: self.weight * x


class TwoResults(Rate):
    """Its function gives the arguments back too."""

    def as_function(self):
        return lambda *arguments: (self(*arguments), arguments)


class NumPyDropout(Rate):
    """Drops entries by a mask that is drawn anew in each trace."""

    def compute(self, x):
        mask = np.random.default_rng().random(x.shape)
        return super().compute(x) * jnp.asarray(mask, x.dtype)


class MoreWithValues(Rate):
    """Adds a figure where the values are known, for whoever debugs."""

    def compute(self, x):
        result = super().compute(x)
        return result if isinstance(result, Tracer) else (result, jnp.max(result))


class UnpacksFirst(Rate):
    """Takes any sequence, and says only that the list is not a tuple."""

    @classmethod
    def create(cls, weight, example):
        if isinstance(example, list):
            raise TypeError("no list")
        return super().create(weight, example)


class ItselfForAFunction(Rate):
    def as_function(self):
        return self


wrong(
    "a function of a closure that is another function",
    OtherFunction,
    "at `jit`: it gives",
    "at `while_loop`: it gives",
)
wrong("a function of a closure that returns more", TwoResults, "its function (", "of_an_outer_grad")
wrong(
    "dropout in a closure, by NumPy",
    NumPyDropout,
    "at `as_function`: the gradients are",
    "at `custom_vjp`: the gradients are",
)
wrong(
    "a closure that returns more where values are known",
    MoreWithValues,
    "a result whose structure depends on values",
)
wrong("an error that does not say what an example is", UnpacksFirst, "an example is the tuple")


class Below(Rate):
    """A right condition of a loop."""

    def compute(self, x):
        return jnp.sum(x) < jnp.sum(self.weight)


class BelowItself(Below):
    def as_function(self):
        return self


class BelowLaws(RateLaws):
    leaves = (Leaf("weight", "buffer", (3,)),)
    returns = (Output((), "bool"),)
    skips = ("p08_every", "p16_filter")

    def arguments(self, seed):
        return (sample(seed + 5, (3,)),)


further(
    CLOSURES,
    "a condition of a loop that is the closure itself",
    BelowItself,
    Below,
    "test_a_loop_condition_is_taken_as_it_is",
    base=BelowLaws,
)


class KeepsItsExample(Rate):
    """Keeps the example itself, and not its structure alone."""

    @classmethod
    def create(cls, weight, example):
        leaves, treedef = jax.tree.flatten(example)
        shown = tuple(map(str, leaves))
        structure_of(example)
        return cls(jnp.array(weight), (structure_of(example), shown, treedef))

    def __call__(self, *arguments):
        given = structure_of(arguments)
        if given != self.structure[0]:
            shown = [jax.tree.unflatten(treedef, leaves) for leaves, treedef in (self.structure[0], given)]
            raise TypeError(f"it takes {shown[0]}, and was given {shown[1]}")
        return self.compute(*arguments)


class TakesLists(Rate):
    @classmethod
    def create(cls, weight, example):
        return cls(jnp.array(weight), structure_of(tuple(example)))


class TakesAnything(Rate):
    def __call__(self, *arguments):
        return self.compute(*arguments)


class ShowsOne(Rate):
    """Says what it takes, and not what it was given."""

    def __call__(self, *arguments):
        if structure_of(arguments) != self.structure:
            raise TypeError(f"it takes {self.structure}")
        return self.compute(*arguments)


class SinglePrecision(Rate):
    def compute(self, x):
        return super().compute(x).astype(jnp.float32)


wrong("a closure that keeps its example", KeepsItsExample, "values of the example reach that")
wrong(
    "a list for an example",
    TakesLists,
    "test_an_example_that_is_no_tuple_is_refused] C1 closure, at `example`: it was accepted",
)
wrong(
    "a closure that looks at no arguments",
    TakesAnything,
    "both_structures_shown] C1 closure, at `call`: it was accepted",
)
wrong("an error that shows one structure", ShowsOne, "which does not show")
wrong("a closure that returns one dtype", SinglePrecision, "with bfloat16 arrays it returns float32")
