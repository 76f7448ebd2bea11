"""Mistakes that people really make, each with its suite, and beside it the form that is right."""

# ruff: noqa: RUF012 - suites declare plain dicts, as their users do
import dataclasses
import functools
import warnings
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from good_specimens import Leaf, sample
from mutant_base import GetAttrKey, mutant
from mutants_structure import OneWeight

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
            return cls(jnp.asarray(file["weight"]), jax.random.wrap_key_data(jnp.asarray(file["key"])))


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


# A NumPy constant is trained.


class Waves(eqx.Module):
    weight: jax.Array
    frequencies: Any

    def __call__(self, x):
        return self.weight * jnp.sin(jnp.asarray(self.frequencies, x.dtype) * x)


class StaticWaves(Waves):
    frequencies: tuple[float, ...] = eqx.field(static=True)


@mutant("P9", "`frequencies`", "declared as buffer")
@mutant("P2", "`frequencies`", "must be a jax.Array")
class ConstantTrained(OneWeight):
    leaves = (Leaf("weight", "param", (3,)), Leaf("frequencies", "buffer", (3,)))

    def build(self, weight):
        return Waves(jnp.array(weight), np.arange(1, 4, dtype=np.float32))


@good
class ConstantStatic(OneWeight):
    static = {"frequencies": (1.0, 2.0, 3.0)}

    def build(self, weight):
        return StaticWaves(jnp.array(weight), (1.0, 2.0, 3.0))


# An optimiser for every array, integers too.


class Ordered(eqx.Module):
    weight: jax.Array
    order: jax.Array

    def __call__(self, x):
        return self.weight[self.order] * x

    def trainable(self):
        return jax.tree.map(eqx.is_array, self)


class OrderedRightly(Ordered):
    def trainable(self):
        return jax.tree.map(eqx.is_inexact_array, self)


@mutant("P16", "`trainable`", "'order'")
class IntegersTrained(OneWeight):
    leaves = (Leaf("weight", "param", (3,)), Leaf("order", "buffer", (3,), "int32"))
    cls = Ordered

    def build(self, weight):
        return self.cls(jnp.array(weight), jnp.asarray([2, 0, 1], jnp.int32))


@good
class FloatsTrained(IntegersTrained):
    cls = OrderedRightly


# `tree_at` goes around the converter: a Python float takes the place of an array.


class Tempered(eqx.Module):
    weight: jax.Array
    temperature: jax.Array = eqx.field(converter=lambda value: jnp.asarray(value, jnp.float32))

    def cooled(self):
        return eqx.tree_at(lambda one: one.temperature, self, 0.5)

    def cooled_rightly(self):
        return eqx.tree_at(lambda one: one.temperature, self, jnp.full_like(self.temperature, 0.5))


@mutant("P11", "argument 0")
class ConverterBypassed(OneWeight):
    returns = ()
    carry = 0
    change = Tempered.cooled

    def build(self, weight):
        return Activated(jnp.array(weight), None)

    def arguments(self, seed):
        return (Tempered(sample(seed, (3,)), 1.0),)

    def call(self, instance, tempered):
        cooled = type(self).change(tempered)
        return cooled, cooled.weight * instance.weight


@good
class ConverterKept(ConverterBypassed):
    change = Tempered.cooled_rightly


# A half-initialised `self` is flattened in the constructor.


class Half(eqx.Module):
    weight: jax.Array
    layout: Any = eqx.field(static=True)

    def __init__(self, weight):
        self.weight = weight
        self.layout = jax.tree.structure(self)

    def __call__(self, x):
        if jax.tree.structure(self) != self.layout:
            raise ValueError("the structure has changed")
        return self.weight * x


class Whole(Half):
    def __init__(self, weight):
        self.weight = weight
        self.layout = jax.tree.structure({"weight": weight})

    def __call__(self, x):
        if jax.tree.structure({"weight": self.weight}) != self.layout:
            raise ValueError("the structure has changed")
        return self.weight * x


@mutant("P7", "`call`", "the structure has changed")
class HalfInitialised(OneWeight):
    cls = Half

    def build(self, weight):
        return self.cls(jnp.array(weight))


@good
class WholeFirst(HalfInitialised):
    cls = Whole


# A filter spec is traced.


class Masked(eqx.Module):
    weight: jax.Array
    bias: jax.Array
    mask: Any

    def __call__(self, x):
        fixed, free = eqx.partition((self.weight, self.bias), tuple(self.mask))
        weight, bias = eqx.combine(jax.lax.stop_gradient(fixed), free)
        return weight * x + bias


class MaskedStatic(Masked):
    mask: tuple[bool, ...] = eqx.field(static=True)


@mutant("P7", "cannot be traced")
class MaskTraced(OneWeight):
    leaves = (Leaf("weight", "buffer", (3,)), Leaf("bias", "param", (3,)))

    def build(self, weight):
        return Masked(jnp.array(weight), jnp.zeros_like(weight), (True, False))


class TrainsBias(MaskedStatic):
    def trainable(self):
        return eqx.tree_at(lambda one: one.bias, jax.tree.map(lambda _: False, self), True)


@good
class MaskStatic(MaskTraced):
    static = {"mask": (True, False)}

    def build(self, weight):
        return TrainsBias(jnp.array(weight), jnp.zeros_like(weight), (True, False))


# The state of a Module gets a batch axis.


class Averaging(eqx.Module):
    weight: jax.Array
    mean: eqx.nn.StateIndex

    def __init__(self, weight):
        self.weight = jnp.array(weight)
        self.mean = eqx.nn.StateIndex(jnp.zeros((), weight.dtype))

    def __call__(self, x, state, axis=None):
        mean = x.mean() if axis is None else jax.lax.pmean(x.mean(), axis)
        return state.set(self.mean, 0.9 * state.get(self.mean) + 0.1 * mean), self.weight * x


@mutant("P11", "argument 1")
class StateBatched(OneWeight):
    returns = ()
    carry = 1

    def build(self, weight):
        return eqx.nn.make_with_state(Averaging)(weight)[0]

    def arguments(self, seed):
        return sample(seed, (4, 3)), eqx.nn.make_with_state(Averaging)(sample(0, (3,)))[1]

    def call(self, instance, rows, state):
        outputs = jax.vmap(instance, in_axes=(0, None))(rows, state)
        return outputs


@good
class StateShared(StateBatched):
    def call(self, instance, rows, state):
        batched = functools.partial(instance, axis="rows")
        return jax.vmap(batched, in_axes=(0, None), out_axes=(None, 0), axis_name="rows")(rows, state)
