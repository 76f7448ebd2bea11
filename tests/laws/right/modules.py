"""Equinox Modules that hold every law, with their suites."""

# ruff: noqa: RUF012 - suites declare plain dicts, as their users do
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from pytree_laws import Leaf, Output, PytreeLaws, sample

GetAttrKey = jax.tree_util.GetAttrKey


class Affine(eqx.Module):
    weight: jax.Array
    bias: jax.Array | None

    @classmethod
    def create(cls, out_size, in_size, use_bias=True, *, key, dtype=None):
        if not isinstance(out_size, int):
            raise TypeError("out_size must be an int")
        dtype = jnp.result_type(float) if dtype is None else dtype
        weight = jax.random.normal(key, (out_size, in_size), dtype)
        return cls(weight, jnp.zeros((out_size,), dtype) if use_bias else None)

    def __call__(self, x):
        y = self.weight @ x
        return y if self.bias is None else y + self.bias


class AffineLaws(PytreeLaws):
    leaves = (Leaf("weight", "param", (3, 2)), Leaf("bias", "param", (3,)))
    other = {"use_bias": False}
    rejected = (({"out_size": 2.5}, TypeError),)
    returns = (Output((3,)),)

    def inputs(self, seed):
        return {"out_size": 3, "in_size": 2, "key": jax.random.key(seed)}

    def build(self, **inputs):
        return Affine.create(**inputs)

    def arguments(self, seed):
        return (sample(seed, (2,)),)

    def call(self, affine, *arguments):
        return affine(*arguments)


class NoBiasLaws(AffineLaws):
    leaves = (Leaf("weight", "param", (3, 2)),)
    other = {"use_bias": True}

    def inputs(self, seed):
        return {**super().inputs(seed), "use_bias": False}


class Scaled(eqx.Module):
    """A buffer, a stored key, an int buffer, statics, a custom constructor."""

    weight: jax.Array
    table: jax.Array
    order: jax.Array
    noise: jax.Array
    depth: int = eqx.field(static=True)
    activation: Any = eqx.field(static=True)

    def __init__(self, size, depth=2, activation=jax.nn.relu, *, key):
        if not isinstance(depth, int):
            raise TypeError("depth")
        wkey, self.noise = jax.random.split(key)
        self.weight = jax.random.normal(wkey, (size,), jnp.result_type(float))
        self.table = jnp.arange(1, size + 1, dtype=jnp.result_type(float))
        self.order = jnp.arange(size, dtype=jnp.int32)[::-1]
        self.depth = depth
        self.activation = activation

    def __call__(self, x, *, key=None):
        table = jax.lax.stop_gradient(self.table)
        noise = jax.random.normal(self.noise, x.shape, x.dtype)
        y = self.weight * x[self.order] * self.depth + table + noise
        return y + self.activation(self.weight)

    def trainable(self):
        spec = jax.tree.map(lambda _: False, self)
        return eqx.tree_at(lambda tree: tree.weight, spec, True)


class ScaledLaws(PytreeLaws):
    leaves = (
        Leaf("weight", "param", (3,)),
        Leaf("table", "buffer", (3,)),
        Leaf("order", "buffer", (3,), "int32"),
        Leaf("noise", "key", ()),
    )
    static = {"depth": 2, "activation": jax.nn.relu}
    other = {"depth": 3}
    rejected = (({"depth": 2.5}, TypeError),)
    returns = (Output((3,)),)

    def inputs(self, seed):
        return {"size": 3, "key": jax.random.key(seed)}

    def build(self, **inputs):
        return Scaled(**inputs)

    def arguments(self, seed):
        return (sample(seed, (3,)),)

    def call(self, scaled, *arguments):
        return scaled(*arguments)


class Noisy(eqx.Module):
    """A Python bool among the leaves, and a key among the arguments."""

    scale: jax.Array
    inference: bool

    def __call__(self, x, key):
        if self.inference:
            return self.scale * x
        return self.scale * x + jax.random.normal(key, x.shape, x.dtype)


class NoisyLaws(PytreeLaws):
    leaves = (Leaf("scale", "param", (3,)), Leaf("inference", "python"))
    returns = (Output((3,)),)

    def inputs(self, seed):
        return {"scale": sample(seed, (3,))}

    def build(self, scale):
        return Noisy(jnp.array(scale), False)

    def arguments(self, seed):
        return sample(seed, (3,)), sample(seed, (), "key")

    def call(self, noisy, *arguments):
        return noisy(*arguments)


class Cell(eqx.Module):
    weight: jax.Array
    recur: jax.Array

    @classmethod
    def create(cls, hidden, size, *, key):
        wkey, rkey = jax.random.split(key)
        dtype = jnp.result_type(float)
        weight = jax.random.normal(wkey, (hidden, size), dtype)
        return cls(weight, jax.random.normal(rkey, (hidden, hidden), dtype))

    def __call__(self, x, state):
        state = jnp.tanh(self.weight @ x + self.recur @ state)
        return state, 2 * state


class CellLaws(PytreeLaws):
    leaves = (Leaf("weight", "param", (3, 2)), Leaf("recur", "param", (3, 3)))
    returns = (Output((3,)), Output((3,)))
    carry = 1

    def inputs(self, seed):
        return {"hidden": 3, "size": 2, "key": jax.random.key(seed)}

    def build(self, **inputs):
        return Cell.create(**inputs)

    def arguments(self, seed):
        return sample(seed, (2,)), sample(seed + 1, (3,))

    def call(self, cell, *arguments):
        return cell(*arguments)


class Stack(eqx.Module):
    layers: list[Affine]
    shift: jax.Array

    @classmethod
    def create(cls, size, depth, *, key):
        keys = jax.random.split(key, depth)
        layers = [Affine.create(size, size, key=k) for k in keys]
        return cls(layers, jnp.zeros((size,), jnp.result_type(float)))

    def __call__(self, x):
        for layer in self.layers:
            x = jnp.tanh(layer(x))
        return x + self.shift

    def trainable(self):
        return jax.tree.map(eqx.is_inexact_array, self)


class StackLaws(PytreeLaws):
    leaves = (Leaf("layers", "module"), Leaf("shift", "param", (3,)))
    other = {"depth": 3}
    returns = (Output((3,)),)

    def inputs(self, seed):
        return {"size": 3, "depth": 2, "key": jax.random.key(seed)}

    def build(self, **inputs):
        return Stack.create(**inputs)

    def arguments(self, seed):
        return (sample(seed, (3,)),)

    def call(self, stack, *arguments):
        return stack(*arguments)


class Constrained(eqx.Module):
    raw: jax.Array

    @property
    def scale(self):
        return jax.nn.softplus(self.raw)

    def __call__(self, x):
        return self.scale * x


class ConstrainedLaws(PytreeLaws):
    leaves = (Leaf("raw", "param", ()),)
    returns = (Output(()),)

    def inputs(self, seed):
        return {"raw": 0.5 + seed}

    def build(self, raw):
        return Constrained(jnp.asarray(raw, jnp.result_type(float)))

    def arguments(self, seed):
        return (sample(seed),)

    def call(self, constrained, *arguments):
        return constrained(*arguments)


class Running(eqx.Module):
    """Keeps its state outside, behind a StateIndex."""

    weight: jax.Array
    mean: eqx.nn.StateIndex

    def __init__(self, key):
        self.weight = jax.random.normal(key, (3,), jnp.result_type(float))
        self.mean = eqx.nn.StateIndex(jnp.zeros((), jnp.result_type(float)))

    def __call__(self, x, state):
        mean = state.get(self.mean)
        state = state.set(self.mean, 0.5 * mean + 0.5 * jax.lax.stop_gradient(x.mean()))
        return state, self.weight * x + jax.lax.stop_gradient(mean)


class RunningLaws(PytreeLaws):
    leaves = (Leaf("weight", "param", (3,)),)
    carry = 1

    def build(self, key):
        return eqx.nn.make_with_state(Running)(key)[0]

    def arguments(self, seed):
        return sample(seed, (3,)), eqx.nn.make_with_state(Running)(jax.random.key(0))[1]

    def call(self, running, *arguments):
        return running(*arguments)


class Closed(eqx.Module):
    """A function with what it captured, and the structure of its arguments as static."""

    captured: list[jax.Array]
    treedef: Any = eqx.field(static=True)
    avals: tuple[Any, ...] = eqx.field(static=True)

    def __call__(self, tree):
        if jax.tree.structure(tree) != self.treedef:
            raise TypeError("the arguments have another structure")
        return jax.tree.map(lambda leaf: leaf * self.captured[0] + self.captured[1], tree)

    def as_function(self):
        return lambda tree: self(tree)


class ClosedLaws(PytreeLaws):
    leaves = (Leaf("captured", "tree"),)
    returns = (Output((3,)), Output((3,)))

    def inputs(self, seed):
        return {"captured": [sample(seed, (3,)), sample(seed + 1, (3,))]}

    def build(self, captured):
        example = {"a": jnp.zeros((3,)), "b": (jnp.zeros((3,)),)}
        leaves, treedef = jax.tree.flatten(jax.eval_shape(lambda: example))
        return Closed([jnp.array(each) for each in captured], treedef, tuple(leaves))

    def arguments(self, seed):
        return ({"a": sample(seed, (3,)), "b": (sample(seed + 1, (3,)),)},)

    def call(self, closed, *arguments):
        return closed(*arguments)
