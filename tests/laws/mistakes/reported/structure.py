"""Mistakes that people really make, each with its suite, and beside it the form that is right."""

# ruff: noqa: RUF012 - suites declare plain dicts, as their users do
import dataclasses
import warnings
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from harness.mutants import GetAttrKey, mutant
from mutants.structure import OneWeight
from right.specimens import Leaf

GOOD = []


def good(suite):
    GOOD.append(suite)
    return suite


def quietly(cls: Any) -> Any:
    """Defines a class of which Equinox warns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return cls()


# A string is a child.


class Series(eqx.Module):
    weight: jax.Array
    name: str

    def __call__(self, x):
        return self.weight * x


class NamedSeries(Series):
    name: str = eqx.field(static=True)


@mutant("P2", "`name`", "not declared: str")
class StringLeaf(OneWeight):
    cls = Series

    def build(self, weight):
        return self.cls(jnp.array(weight), "x")


@good
class StringStatic(StringLeaf):
    static = {"name": "x"}
    cls = NamedSeries


# `register_dataclass` on a class with a constructor of its own.


@jax.tree_util.register_dataclass
@dataclasses.dataclass(eq=False)
class Drawn:
    weight: jax.Array

    def __init__(self, *, seed_of):
        self.weight = jnp.array(seed_of)

    def __call__(self, x):
        return self.weight * x


@mutant("P3", "unexpected keyword argument")
class RegisteredConstructor(OneWeight):
    def build(self, weight):
        return Drawn(seed_of=weight)


class DrawnModule(eqx.Module):
    weight: jax.Array

    def __init__(self, *, seed_of):
        self.weight = jnp.array(seed_of)

    def __call__(self, x):
        return self.weight * x


@good
class ModuleConstructor(OneWeight):
    def build(self, weight):
        return DrawnModule(seed_of=weight)


# A static value from the values of arrays, derived again on every rebuild.


class Counted:
    def __init__(self, weight):
        self.weight = weight
        self.count = int(weight.shape[0] if not hasattr(weight, "sum") else np.ceil(float(weight.sum())))

    def __call__(self, x):
        return self.weight * x * self.count


jax.tree_util.register_pytree_with_keys(
    Counted, lambda self: (((GetAttrKey("weight"), self.weight),), ()), lambda _, c: Counted(*c)
)


@mutant("P3", "unflatten of object leaves raised")
class DerivedStatic(OneWeight):
    def build(self, weight):
        return Counted(jnp.array(weight))


# A default of a field that a custom constructor does not assign.


class Unassigned(eqx.Module):
    weight: jax.Array
    scale: jax.Array = np.float32(2.0)

    def __init__(self, weight):
        self.weight = jnp.array(weight)

    def __call__(self, x):
        return self.weight * x * self.scale


class Assigned(Unassigned):
    def __init__(self, weight):
        self.weight = jnp.array(weight)
        self.scale = jnp.full((), 2, weight.dtype)


@mutant("P2", "`scale`", "no leaf")
class DefaultNotAssigned(OneWeight):
    leaves = (Leaf("weight", "param", (3,)), Leaf("scale", "param", ()))
    cls = Unassigned

    def build(self, weight):
        return self.cls(weight)


@good
class DefaultAssigned(DefaultNotAssigned):
    cls = Assigned


# `__post_init__` beside `__init__` never runs.


def _unchecked() -> Any:
    class Unchecked(eqx.Module):
        weight: jax.Array
        depth: int = eqx.field(static=True)

        def __init__(self, weight, depth):
            self.weight, self.depth = jnp.array(weight), depth

        def __post_init__(self):
            if self.depth < 1:
                raise ValueError("depth")

        def __call__(self, x):
            return self.weight * x * self.depth

    return Unchecked


Unchecked = quietly(_unchecked)


class Checked(eqx.Module):
    weight: jax.Array
    depth: int = eqx.field(static=True)

    def __init__(self, weight, depth):
        self.weight, self.depth = jnp.array(weight), depth

    def __check_init__(self):
        if self.depth < 1:
            raise ValueError("depth")

    def __call__(self, x):
        return self.weight * x * self.depth


@mutant("P1", "inputs that must raise ValueError were accepted", "__post_init__")
class PostInitSkipped(OneWeight):
    static = {"depth": 2}
    other = {"depth": 3}
    rejected = (({"depth": 0}, ValueError),)
    accepted = ({"depth": 1},)
    cls = Unchecked

    def inputs(self, seed):
        return {**super().inputs(seed), "depth": 2}

    def build(self, weight, depth):
        return self.cls(weight, depth)


@good
class CheckInit(PostInitSkipped):
    cls = Checked


# An activation is a leaf.


class Activated(eqx.Module):
    weight: jax.Array
    activation: Any

    def __call__(self, x):
        return self.activation(self.weight * x)


class StaticActivation(Activated):
    activation: Any = eqx.field(static=True)


@mutant("P2", "`activation`", "not declared")
class ActivationLeaf(OneWeight):
    cls = Activated

    def build(self, weight):
        return self.cls(jnp.array(weight), jax.nn.gelu)


@good
class ActivationStatic(ActivationLeaf):
    static = {"activation": jax.nn.gelu}
    used = ("activation",)
    cls = StaticActivation


@good
class ActivationDeclared(ActivationLeaf):
    leaves = (Leaf("weight", "param", (3,)), Leaf("activation", "python"))


# An array in a static field of a Module.


def _array_static() -> Any:
    class Shifted(eqx.Module):
        weight: jax.Array
        shift: Any = eqx.field(static=True)

        def __call__(self, x):
            return self.weight * x + jnp.asarray(self.shift, x.dtype)

    return Shifted


Shifted = quietly(_array_static)


@mutant("P2", "shift", "not a leaf")
@mutant("P5", "shift", "an array")
class ArrayInStaticField(OneWeight):
    def build(self, weight):
        return Shifted(jnp.array(weight), jnp.arange(3.0))


# A class of its own: jax keeps the array of the other one, and compares it with any later value.
ShiftedRightly = quietly(_array_static)


@good
class TupleInStaticField(OneWeight):
    static = {"shift": (0.0, 1.0, 2.0)}

    def build(self, weight):
        return ShiftedRightly(jnp.array(weight), (0.0, 1.0, 2.0))


# A typed key cannot be written as an array.


class Keyed(eqx.Module):
    weight: jax.Array
    key: jax.Array

    def __call__(self, x):
        return self.weight * x

    def save(self, path):
        eqx.tree_serialise_leaves(path, self)

    @classmethod
    def load(cls, path, like):
        return eqx.tree_deserialise_leaves(path, like)


class KeyData(Keyed):
    """Writes the data of its key."""

    def save(self, path):
        with open(path, "wb") as file:
            np.savez(file, weight=self.weight, key=jax.random.key_data(self.key))

    @classmethod
    def load(cls, path, like):
        with np.load(path) as file:
            impl = jax.random.key_impl(like.key)
            return cls(
                jnp.asarray(file["weight"]), jax.random.wrap_key_data(jnp.asarray(file["key"]), impl=impl)
            )


@mutant("P14", "TreePathError", "key")
class KeyNotSaved(OneWeight):
    leaves = (Leaf("weight", "param", (3,)), Leaf("key", "key", ()))
    cls = Keyed

    def inputs(self, seed):
        return {**super().inputs(seed), "key": jax.random.key(seed)}

    def build(self, weight, key):
        return self.cls(jnp.array(weight), jnp.array(key))


@good
class KeySaved(KeyNotSaved):
    cls = KeyData
