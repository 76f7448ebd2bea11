"""Further mutants for P1 to P6: what a constructor does when it is traced, what it draws, and what aux and subclasses lose."""

import inspect

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from harness.mutants import NodeLaws, children, mutant, named, node, rebuild
from jax.core import Tracer
from right.modules import Cell, CellLaws
from right.specimens import Leaf, Output, PytreeLaws, sample

from mutants.structure import OneWeight

# P1: dicts, traces and draws.


class Pair(eqx.Module):
    first: jax.Array
    second: jax.Array
    names: tuple = eqx.field(static=True)

    def __call__(self, x):
        return self.first * x + self.second


class PairLaws(PytreeLaws):
    leaves = (Leaf("first", "param", (3,)), Leaf("second", "param", (3,)))
    returns = (Output((3,)),)

    def inputs(self, seed):
        return {"table": {"a": sample(seed, (3,)), "b": sample(seed + 1, (3,))}}

    def build(self, table):
        return Pair(jnp.array(table["a"]), jnp.array(table["b"]), tuple(sorted(table)))

    def arguments(self, seed):
        return (sample(seed, (3,)),)

    def call(self, pair, *arguments):
        return pair(*arguments)


@mutant("P1", "with the entries of a dict given in another order it differs", "jax sorts them by key")
class AsInserted(PairLaws):
    def build(self, table):
        return Pair(*map(jnp.array, table.values()), tuple(sorted(table)))


@mutant("P1", "with the entries of a dict given in another order the treedef differs")
class NamesAsInserted(PairLaws):
    def build(self, table):
        return Pair(jnp.array(table["a"]), jnp.array(table["b"]), tuple(table))


@mutant("P1", "built under jit its leaves are", "float16")
class RoundsWhereItCan(NodeLaws):
    def build(self, weight, bias, scale):
        if not isinstance(weight, Tracer):
            weight = np.asarray(weight, np.float16)
        return self.cls(jnp.array(weight), jnp.array(bias), scale)


class SpreadLaws(CellLaws):
    leaves = (Leaf("weight", "param", (3, 2), std=1.0), Leaf("recur", "param", (3, 3), std=1.0))


@mutant("P1", "`weight`", "its standard deviation is", "declared is 1")
class TwiceAsWide(SpreadLaws):
    def build(self, **inputs):
        cell = Cell.create(**inputs)
        return Cell(2 * cell.weight, cell.recur)


@mutant("P1", "`recur`", "and not 0")
class DrawnFromZero(SpreadLaws):
    def build(self, **inputs):
        cell = Cell.create(**inputs)
        drawn = jax.random.uniform(inputs["key"], (3, 3), cell.recur.dtype, 0, 3**0.5)
        return Cell(cell.weight, drawn)


@mutant("P1", "`build`", "1 of its draws do not depend on the key that it is given")
class OneConstantKey(CellLaws):
    def build(self, **inputs):
        cell = Cell.create(**inputs)
        return Cell(cell.weight, jax.random.normal(jax.random.key(0), (3, 3), cell.recur.dtype))


# P2: what is no array.


@mutant("P2", "`bias`", "it must be no array")
class ArrayForANumber(NodeLaws):
    leaves = (Leaf("weight", "param", (3,)), Leaf("bias", "python"))


# P3: subclasses.


def own_fields(self):
    """The fields that the class itself declares, without those of its bases."""
    return tuple(inspect.get_annotations(type(self)))


class Registers:
    """Registers each subclass, by the fields of its own."""

    weight: jax.Array

    def __init_subclass__(cls):
        jax.tree_util.register_pytree_with_keys(
            cls,
            lambda self: (
                [(jax.tree_util.GetAttrKey(name), getattr(self, name)) for name in own_fields(self)],
                own_fields(self),
            ),
            lambda names, values: rebuild(cls, **dict(zip(names, values, strict=True))),
        )


@mutant("P3", "a subclass has other leaves")
class OwnFieldsAlone(OneWeight):
    class cls(Registers):
        weight: jax.Array

        def __call__(self, x):
            return self.weight * x

    def build(self, weight):
        return rebuild(self.cls, weight=jnp.array(weight))


# P5: what the treedef holds.


@mutant("P5", "`layers`", "declared as a tuple, it is a list")
class ListForATuple(OneWeight):
    leaves = (Leaf("layers", "tree"),)
    tuples = ("layers",)

    class cls(eqx.Module):
        layers: list

        def __call__(self, x):
            return self.layers[0] * x

    def build(self, weight):
        return self.cls([jnp.array(weight)])


@mutant("P5", "`scale`", "declared as used by the call, which is the same for")
class ConstantForASetting(NodeLaws):
    used = ("scale",)
    cls = node(__call__=lambda self, x: self.weight * x * 2 + self.bias)


@mutant("P5", "with shapes in the place of arrays")
@mutant("P9", "two training steps changed the treedef")
class CountsRebuilds(NodeLaws):
    """Unflatten counts in aux how often it ran."""

    cls = node(
        flatten=lambda self: (children(self), (self.scale, self.age)),
        with_keys=lambda self: (named(self), (self.scale, self.age)),
        unflatten=lambda cls, aux, c: rebuild(cls, weight=c[0], bias=c[1], scale=aux[0], age=aux[1] + 1),
        age=0,
    )


# P9: what the call does not use.


@mutant("P9", "`spare`", "no leaf of this sub-tree has a gradient")
class UnusedLayer(CellLaws):
    leaves = (Leaf("used", "module"), Leaf("spare", "module"))

    class cls(eqx.Module):
        used: Cell
        spare: Cell

    def build(self, hidden, size, key):
        keys = jax.random.split(key)
        return self.cls(*(Cell.create(hidden, size, key=one) for one in keys))

    def call(self, cells, *arguments):
        return cells.used(*arguments)
