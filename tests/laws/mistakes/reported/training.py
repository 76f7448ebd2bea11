"""Mistakes of training, editing and saving that people really make, each with its suite, and the right form beside it."""

# ruff: noqa: RUF012 - suites declare plain dicts, as their users do
import functools
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from harness.mutants import mutant
from mutants.structure import OneWeight
from right.specimens import Leaf, sample

from mistakes.reported.structure import Activated, good

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


# A buffer with a gradient, where nothing is trained.


class Capped(eqx.Module):
    limit: jax.Array
    offset: jax.Array

    def __call__(self, x):
        return jnp.minimum(x, self.limit) + self.offset

    def trainable(self):
        return jax.tree.map(lambda leaf: False, self)


class StoppedCapped(Capped):
    def __call__(self, x):
        return jnp.minimum(x, jax.lax.stop_gradient(self.limit)) + self.offset


class OfCapped(OneWeight):
    leaves = (Leaf("limit", "buffer", ()), Leaf("offset", "data", (3,)))
    drawn = ()

    def inputs(self, seed):
        return {"limit": sample(seed, ()), "offset": sample(seed + 1, (3,))}


@mutant("P9", "`limit`", "declared as buffer, but the call has the gradient")
class BufferWithGradient(OfCapped):
    def build(self, limit, offset):
        return Capped(jnp.array(limit), jnp.array(offset))


@good
class BufferBehindStopGradient(OfCapped):
    def build(self, limit, offset):
        return StoppedCapped(jnp.array(limit), jnp.array(offset))
