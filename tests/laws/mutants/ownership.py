"""Mutants for P13 to P17: edits, files, ownership, helpers, identity."""
# ruff: noqa: RUF012 - suites declare plain dicts, as their users do

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
from harness.mutants import GetAttrKey, Node, NodeLaws, mutant, node, rebuild
from right.modules import Affine, AffineLaws, Cell, CellLaws, NoisyLaws, Scaled, ScaledLaws, StackLaws
from right.specimens import Leaf, sample

from mutants.structure import OneWeight

# P13


@dataclasses.dataclass
class Compared:
    weight: jax.Array

    def __call__(self, x):
        return self.weight * x


jax.tree_util.register_pytree_with_keys(
    Compared,
    lambda self: (((GetAttrKey("weight"), self.weight),), ()),
    lambda _, c: rebuild(Compared, weight=c[0]),
)


@mutant("P13", "bool(x == another) raised", "eq=False")
class DataclassEq(OneWeight):
    def build(self, weight):
        return Compared(jnp.array(weight))


@dataclasses.dataclass(eq=False)
class Halved:
    weight: jax.Array

    def __post_init__(self):
        self.weight = self.weight / 2

    def __call__(self, x):
        return self.weight * x


jax.tree_util.register_pytree_with_keys(
    Halved,
    lambda self: (((GetAttrKey("weight"), self.weight),), ()),
    lambda _, c: rebuild(Halved, weight=c[0]),
)


@mutant("P13", "dataclasses.replace without changes")
class ReplaceHalves(OneWeight):
    def build(self, weight):
        return Halved(jnp.array(weight))


# P14


class Unpicklable(Node):
    def __getstate__(self):
        return {"weight": self.weight, "bias": self.bias}


@mutant("P14", "AttributeError", "scale")
class StateLost(NodeLaws):
    cls = node(__getstate__=Unpicklable.__getstate__)


class Saved(Affine):
    """Saves by position, into whatever skeleton there is."""

    def save(self, path):
        with open(path, "wb") as file:
            eqx.tree_serialise_leaves(file, list(jax.tree.leaves(self)))

    @classmethod
    def load(cls, path, like):
        leaves, treedef = jax.tree.flatten(like)
        with open(path, "rb") as file:
            return treedef.unflatten(eqx.tree_deserialise_leaves(file, leaves))


@mutant("P14", "loaded into another")
class LoadsAnything(AffineLaws):
    def build(self, **inputs):
        return Saved.create(**inputs)


# P15


@mutant("P15", "`bias`", "shares its buffer with `weight`")
class OneBuffer(NodeLaws):
    def build(self, weight, bias, scale):
        weight = jnp.array(weight)
        return self.cls(weight, weight, scale)


_CONSTANT = jnp.full((3,), 0.5, jnp.float32)


@mutant("P15", "another instance's bias", "shares its buffer")
class ModuleConstant(NodeLaws):
    def build(self, weight, bias, scale):
        return self.cls(jnp.array(weight), _CONSTANT, scale)


@mutant(
    "P15",
    "`build`",
    "a key is used twice, for `weight`, `recur`",
    "an earlier one, for `weight`, `recur`",
    "one key split per consumer",
)
class KeyTwice(CellLaws):
    def build(self, hidden, size, key):
        weight = jax.random.normal(key, (hidden, size))
        return Cell(weight, 0.5 * jax.random.normal(key, (hidden, hidden)))


@mutant("P15", "`recur`", "same draw as `weight`")
class SameDraw(CellLaws):
    leaves = (Leaf("weight", "param", (3, 3)), Leaf("recur", "param", (3, 3)))

    def inputs(self, seed):
        return {"hidden": 3, "size": 3, "key": jax.random.PRNGKey(seed)}

    def build(self, hidden, size, key):
        weight = jax.random.normal(key, (hidden, size))
        return Cell(weight, jax.random.normal(key, (hidden, hidden)))

    def arguments(self, seed):
        return sample(seed, (3,)), sample(seed + 1, (3,))


@mutant("P15", "`call`", "a key is used twice")
class CallUsesKeyTwice(NoisyLaws):
    def call(self, noisy, x, key):
        return noisy(x, key) + jax.random.uniform(key, x.shape, x.dtype)


# P16


class ByIdentity(Scaled):
    def trainable(self):
        return jax.tree.map(lambda leaf: leaf is self.weight, self)


@mutant("P16", "`trainable`", "tied leaves")
class IdentitySpec(ScaledLaws):
    def build(self, **inputs):
        return ByIdentity(**inputs)


@mutant("P16", "`trainable`", "a bool for each")
class SpecOfArrays(NodeLaws):
    cls = node(trainable=lambda self: self)


@mutant("P16", "`matrices`", "on a fresh instance it selects")
class WrongFilter(NodeLaws):
    filters = {"matrices": ("weight",)}
    cls = node(matrices=lambda self: jax.tree.map(lambda _: True, self))


@mutant("P16", "eight keys give the same output", '`[test]` with `unused = ["key"]`')
class KeyIgnored(NoisyLaws):
    def call(self, noisy, x, key):
        return noisy(x, jax.random.key(0))


@mutant("P16", "another key gives another output", "out of date")
class KeyUsedAfterAll(NoisyLaws):
    ignores_key = True


@mutant("P16", "as_function", "unhashable")
class FunctionOfModule(AffineLaws):
    class Wrapped(Affine):
        def as_function(self):
            return self

    def build(self, **inputs):
        return self.Wrapped.create(**inputs)


# P17


@jax.tree_util.register_dataclass
@dataclasses.dataclass(eq=False)
class Anonymous:
    weight: jax.Array
    bias: jax.Array
    scale: int = dataclasses.field(metadata={"static": True})

    __call__ = Node.__call__


@mutant("P17", "twin class", "register_dataclass")
class RegisterDataclass(NodeLaws):
    cls = Anonymous


@mutant("P17", "twin class")
class FlaxStruct(OneWeight):
    def build(self, weight):
        import flax.struct

        @flax.struct.dataclass
        class Scale:
            weight: jax.Array

            def __call__(self, x):
                return self.weight * x

        return Scale(jnp.array(weight))


class StaticLayers(StackLaws):
    """A sub-module that is static has no leaves at all."""


@mutant("P2", "`layers`", "declared as module, but no leaf")
class StaticModule(StaticLayers):
    class Frozen(eqx.Module):
        layers: tuple = eqx.field(static=True)
        shift: jax.Array

        def __call__(self, x):
            return self.layers[0](x) + self.shift

    def build(self, size, depth, key):
        layers = (Affine.create(size, size, key=key),)
        return self.Frozen(layers, jnp.zeros((size,), jnp.float32))
