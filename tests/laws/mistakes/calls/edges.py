"""Mistakes at the edge of what a class accepts: roundings, orders, tables of numbers, bounds on one side."""

import equinox as eqx
import jax
import jax.numpy as jnp
from harness.pairs import further
from right.specimens import Leaf, sample

from mistakes.structure.parts import SwitchedLaws, Turned, TurnedLaws


class Rounded(Turned):
    """What the example gives is so small that all of it is rounded to zeros."""

    def __call__(self, x):
        return jnp.round(0.01 * super().__call__(x))


class RoundedAlongOneAxis(Rounded):
    def __call__(self, x):
        return jnp.round(0.01 * self.weight @ x)


class RoundedLaws(TurnedLaws):
    right = Rounded
    skips = ("p08_every_parameter", "p09_every_parameter")  # a rounding hides them


further(
    *("P19", "A legal value that the call forgets, behind a rounding", RoundedAlongOneAxis, Rounded),
    *("call() with axis=1 with large numbers", "(at values that it accepts)"),
    base=RoundedLaws,
)


class Staged(eqx.Module):
    """Stages of some lengths, one after the other."""

    weight: jax.Array
    lengths: tuple[int, ...] = eqx.field(static=True)

    def __init__(self, key, lengths: tuple[int, ...] = (1, 2)):
        self.weight, self.lengths = jax.random.normal(key, (3,)), lengths

    def __call__(self, x):
        return self.weight * x * jnp.prod(jnp.cumsum(jnp.asarray(self.lengths, x.dtype)))


class SortsItsStages(Staged):
    def __init__(self, key, lengths: tuple[int, ...] = (1, 2)):
        super().__init__(key, tuple(sorted(lengths)))


class StagedLaws(SwitchedLaws):
    leaves = (Leaf("weight", "param", (3,)),)
    kept = ("lengths",)
    right = Staged


further(
    *("P1", "A sorted tuple, whose default is sorted", SortsItsStages, Staged),
    *("`lengths`", "it was given (2, 1), and holds (1, 2)"),
    base=StagedLaws,
)


class Typed(eqx.Module):
    """Sorts of atoms, which are stored in one dtype whatever they come in."""

    weight: jax.Array
    sorts: jax.Array

    def __init__(self, weight, sorts):
        self.weight, self.sorts = jnp.array(weight), jnp.array(sorts, jnp.int32)

    def __call__(self, x):
        return self.weight[self.sorts] * x


class TypedAsGiven(Typed):
    def __init__(self, weight, sorts):
        self.weight, self.sorts = jnp.array(weight), jnp.array(sorts)


class TypedLaws(SwitchedLaws):
    leaves = (Leaf("weight", "param", (3,)), Leaf("sorts", "data", (3,), "int32"))
    kept = ("sorts",)
    right = Typed

    def inputs(self, seed):
        return {"weight": sample(seed, (3,)), "sorts": jnp.array([2, 0, 1], jnp.int32)}


further(
    *("P1", "Integers that are stored in the dtype in which they come", TypedAsGiven, Typed),
    *("`sorts`", "given as int16 it is int16, declared is int32"),
    base=TypedLaws,
)


class Counting(eqx.Module):
    """A counter, which begins in the declared dtype wherever jax has 64 bits."""

    weight: jax.Array
    count: jax.Array

    def __init__(self, weight):
        self.weight, self.count = jnp.array(weight), jnp.zeros((), jnp.int32)

    def __call__(self, x):
        return self.weight * x + self.count


class CountingWidely(Counting):
    def __init__(self, weight):
        self.weight, self.count = jnp.array(weight), jnp.zeros((), int)


class CountingLaws(SwitchedLaws):
    leaves = (Leaf("weight", "param", (3,)), Leaf("count", "data", (), "int32", value=0))
    right = Counting

    def inputs(self, seed):
        return {"weight": sample(seed, (3,))}


further(
    *("P1", "A counter of jax's own integers", CountingWidely, Counting),
    *("`count`", "where jax has 64 bits it is int64, declared is int32"),
    base=CountingLaws,
)


class Tabled(eqx.Module):
    """A table, which the example gives as a tuple of numbers."""

    table: jax.Array

    def __init__(self, table):
        self.table = jnp.array(table, jnp.float32)

    def __call__(self, x):
        return self.table * x


class HoldsTheTable(Tabled):
    def __init__(self, table):
        self.table = jnp.asarray(table, jnp.float32)


class TabledLaws(SwitchedLaws):
    leaves = (Leaf("table", "param", (3,)),)
    right = Tabled

    def inputs(self, seed):
        return {"table": (0.5 + seed, -1.0, 2.0)}


further(
    *("P1", "A table of the caller's, which the example gives as numbers", HoldsTheTable, Tabled),
    *("`table`", "it shares its buffer with the input `table`"),
    base=TabledLaws,
)


class Bent(eqx.Module):
    """A line that ends at bounds, which a flag makes wider."""

    slope: jax.Array
    wide: bool = eqx.field(static=True)

    def __init__(self, key, wide: bool = False):
        self.slope, self.wide = jax.random.normal(key, (3,)), wide

    def __call__(self, x):
        bound = 2.0 if self.wide else 1.0
        return self.slope * jnp.clip(x, -bound, bound)


class WideOnOneSide(Bent):
    def __call__(self, x):
        bound = 2.0 if self.wide else 1.0
        return self.slope * jnp.clip(x, -1.0, bound)


class BentLaws(SwitchedLaws):
    leaves = (Leaf("slope", "param", (3,)),)
    right = Bent

    def arguments(self, seed):
        return (sample(seed, (3,), positive=True),)


further(
    *("P19", "A bound on one side, far from the example, where a flag is set", WideOnOneSide, Bent),
    *("call() with wide=True with large numbers of the other sign", "(in other configurations)"),
    base=BentLaws,
)
