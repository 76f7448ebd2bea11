"""Further mistakes of the catalogue, and right forms of mistakes whose wrong form stands among the mutants."""

# ruff: noqa: RUF012 - suites declare plain dicts, as their users do
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from harness.mutants import GetAttrKey, Node, NodeLaws, children, named, node, rebuild
from harness.pairs import Weighted
from mutants.structure import OneWeight
from mutants.training import BufferLaws, Marked
from right.modules import Affine, AffineLaws
from right.specimens import Leaf, Output, sample

from mistakes.reported.structure import quietly

# The constructor checks, and unflatten calls it.


class Checking(Node):
    def __init__(self, weight, bias, scale):
        if weight.ndim != 1:
            raise ValueError("weight must be a vector")
        super().__init__(weight, bias, scale)


def _checking(unflatten):
    cls = type("Mine", (Checking,), {})
    jax.tree_util.register_pytree_with_keys(
        cls,
        lambda self: (named(self), (self.scale,)),
        lambda aux, c: unflatten(cls, aux, c),
        lambda self: (children(self), (self.scale,)),
    )
    return cls


class ChecksOnRebuild(NodeLaws):
    cls = _checking(lambda cls, aux, c: cls(*c, *aux))


class ChecksOnce(NodeLaws):
    cls = _checking(lambda cls, aux, c: rebuild(cls, weight=c[0], bias=c[1], scale=aux[0]))


# Values from the values of arrays: given by the caller, or derived when they are needed.


class CountGiven:
    def __init__(self, weight, count):
        self.weight, self.count = weight, count

    def __call__(self, x):
        return self.weight * x * self.count


jax.tree_util.register_pytree_with_keys(
    CountGiven,
    lambda self: (((GetAttrKey("weight"), self.weight),), (self.count,)),
    lambda aux, c: rebuild(CountGiven, weight=c[0], count=aux[0]),
)


class StaticGiven(OneWeight):
    static = {"count": 2}
    skips = ("trivial_subclass",)

    def build(self, weight):
        return CountGiven(jnp.array(weight), 2)


class Derived(eqx.Module):
    weight: jax.Array

    @property
    def length(self):
        return jnp.sqrt(jnp.sum(self.weight**2))

    def __call__(self, x):
        return self.length * x


class DerivedInCall(Weighted):
    cls = Derived


# A buffer: no gradient, and no weight decay.


class Unmarked(eqx.Module):
    weight: jax.Array
    table: jax.Array

    def __call__(self, x):
        return self.weight * x + self.table


class Kept(Marked):
    def __call__(self, x):
        return self.weight * x + jax.lax.stop_gradient(self.table)


class BufferUnmarked(BufferLaws):
    cls = Unmarked


class BufferKept(BufferLaws):
    cls = Kept


# An array in a field, and not on the class.


class ScaleField(eqx.Module):
    weight: jax.Array
    scale: jax.Array = eqx.field(default_factory=lambda: jnp.full((3,), 2, jnp.float32))

    def __call__(self, x):
        return self.weight * x * self.scale


class FieldWithFactory(Weighted):
    leaves = (Leaf("weight", "param", (3,)), Leaf("scale", "param", (3,), "float32"))
    cls = ScaleField


# Transformed functions of a layer: stored, or made in the call.


class Scale(eqx.Module):
    weight: jax.Array

    def __call__(self, x):
        return self.weight * x


def _transformed() -> Any:
    class StoresTransform(eqx.Module):
        function: Any = eqx.field(static=True)

        def __call__(self, rows):
            return self.function(rows)

    return StoresTransform


StoresTransform = quietly(_transformed)


class TransformsInCall(eqx.Module):
    layer: Scale

    def __call__(self, rows):
        return jax.vmap(self.layer)(rows)


class RowLaws(Weighted):
    leaves = (Leaf("layer.weight", "param", (3,)),)
    returns = (Output((2, 3)),)

    def arguments(self, seed):
        return (sample(seed, (2, 3)),)

    def build(self, weight):
        return TransformsInCall(Scale(jnp.array(weight)))


class TransformStored(RowLaws):
    def build(self, weight):
        layer = Scale(jnp.array(weight))
        return StoresTransform(jax.vmap(lambda row: layer(row)))


class MethodOnDemand(eqx.Module):
    """Its method is a property, and no second copy of itself."""

    weight: jax.Array

    def scaled(self, x):
        return self.weight * x

    @property
    def forward(self):
        return self.scaled

    def __call__(self, x):
        return self.forward(x)


class BoundOnDemand(Weighted):
    cls = MethodOnDemand


class Compiled(eqx.Module):
    """Compiles with the layer as an argument."""

    layer: Scale

    def __call__(self, x):
        return eqx.filter_jit(self.layer)(x)


class CompiledInCall(Weighted):
    leaves = (Leaf("layer.weight", "param", (3,)),)

    def build(self, weight):
        return Compiled(Scale(jnp.array(weight)))


_compiled = jax.jit(Node.__call__)


class SelfAsArgument(NodeLaws):
    cls = node(__call__=lambda self, x: _compiled(self, x))


# What a call needs again is computed again, and what it has seen is returned.


class Table(eqx.Module):
    size: int = eqx.field(static=True)

    def table(self):
        return jnp.arange(self.size, dtype=jnp.float32)


class UsesTable(eqx.Module):
    weight: jax.Array
    positions: Table

    def __call__(self, x):
        return self.weight * x + self.positions.table().astype(x.dtype)


class ComputedAgain(Weighted):
    def build(self, weight):
        return UsesTable(jnp.array(weight), Table(3))


class Returns(eqx.Module):
    weight: jax.Array

    def __call__(self, x):
        y = self.weight * x
        return y, (x,)


class SeenReturned(Weighted):
    cls = Returns
    returns = (Output((3,)), Output((3,)))


# Files by path.


class SavedByPath(Affine):
    """Saves by path, and compares paths, shapes and dtypes."""

    def save(self, path):
        with open(path, "wb") as file:
            np.savez(file, **_by_path(self))

    @classmethod
    def load(cls, path, like):
        wanted = _by_path(like)
        with np.load(path) as file:
            held = {name: file[name] for name in file.files}
        layouts = [{name: (v.shape, v.dtype) for name, v in one.items()} for one in (held, wanted)]
        if layouts[0] != layouts[1]:
            raise ValueError(f"the file holds {layouts[0]}, and {layouts[1]} is needed")
        return jax.tree.unflatten(jax.tree.structure(like), [jnp.asarray(held[name]) for name in wanted])


def _by_path(tree):
    pairs = jax.tree_util.tree_leaves_with_path(tree)
    return {jax.tree_util.keystr(path): np.asarray(leaf) for path, leaf in pairs}


class LoadsByPath(AffineLaws):
    def build(self, **inputs):
        return SavedByPath.create(**inputs)
