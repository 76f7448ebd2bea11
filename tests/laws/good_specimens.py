"""Classes that hold every law, with their suites: what the laws must not refuse."""
# ruff: noqa: RUF012 - suites declare plain dicts, as their users do

import dataclasses
from typing import Any, NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from laws_runner import laws

Leaf, Output, PytreeLaws, sample = laws.Leaf, laws.Output, laws.PytreeLaws, laws.sample
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


@final
@dataclasses.dataclass(frozen=True, eq=False)
class Table:
    """The founding case: a dict, an array and a static, preset once at creation."""

    table: dict[str, jax.Array]
    attr: jax.Array
    static: int

    @classmethod
    def create(cls, table, attr, static):
        table = {name: jnp.array(value) for name, value in table.items()}
        table["a"] = jnp.full((3,), 42, attr.dtype)
        return cls(table, jnp.array(attr), static)

    def __call__(self, x):
        return self.table["a"] * self.attr + self.table["b"] * x * self.static


def _flatten(self):
    return (self.table, self.attr), (self.static,)


def _flatten_with_keys(self):
    children = (GetAttrKey("table"), self.table), (GetAttrKey("attr"), self.attr)
    return children, (self.static,)


def _unflatten(aux, children):
    self = object.__new__(Table)
    self.__dict__["table"], self.__dict__["attr"] = children
    (self.__dict__["static"],) = aux
    return self


jax.tree_util.register_pytree_with_keys(Table, _flatten_with_keys, _unflatten, _flatten)


class TableLaws(PytreeLaws):
    leaves = (
        Leaf("table.a", "param", (3,)),
        Leaf("table.b", "param", (3,)),
        Leaf("attr", "param", (3,)),
    )
    static = {"static": 5}
    other = {"static": 6}
    returns = (Output((3,)),)

    def inputs(self, seed):
        table = {"a": sample(seed, (3,)), "b": sample(seed + 10, (3,))}
        return {"table": table, "attr": sample(seed + 20, (3,)), "static": 5}

    def build(self, **inputs):
        return Table.create(**inputs)

    def arguments(self, seed):
        return (sample(seed, (3,)),)

    def call(self, table, *arguments):
        return table(*arguments)


class Flagged:
    """Rebuilt through its constructor, which then only stores."""

    def __init__(self, table, attr, static, *, _rebuild=False):
        if not _rebuild:
            table = {name: jnp.array(value) for name, value in table.items()}
            table["a"] = jnp.full((3,), 42, attr.dtype)
            attr = jnp.array(attr)
        self.table, self.attr, self.static = table, attr, static

    __call__ = Table.__call__

    def __init_subclass__(cls):
        raise TypeError("Flagged is not made for subclassing")


jax.tree_util.register_pytree_with_keys(
    Flagged,
    _flatten_with_keys,
    lambda aux, children: Flagged(*children, *aux, _rebuild=True),
    _flatten,
)


class FlaggedLaws(TableLaws):
    def build(self, **inputs):
        return Flagged(**inputs)


class Registered:
    """Registers its subclasses too."""

    def __init__(self, weight):
        self.weight = jnp.array(weight)

    def __init_subclass__(cls):
        register(cls)

    def __call__(self, x):
        return self.weight * x


def register(cls):
    def unflatten(_, children):
        self = object.__new__(cls)
        (self.weight,) = children
        return self

    jax.tree_util.register_pytree_with_keys(
        cls, lambda self: (((GetAttrKey("weight"), self.weight),), ()), unflatten
    )


register(Registered)


class RegisteredLaws(PytreeLaws):
    leaves = (Leaf("weight", "param", (3,), "complex64"),)
    returns = (Output((3,), "complex64"),)

    def inputs(self, seed):
        return {"weight": np.asarray(sample(seed, (3,), "complex64"))}

    def build(self, **inputs):
        return Registered(**inputs)

    def arguments(self, seed):
        return (sample(seed, (3,), "complex64"),)

    def call(self, registered, *arguments):
        return registered(*arguments)


class Pair(NamedTuple):
    a: jax.Array
    b: jax.Array


class PairLaws(PytreeLaws):
    leaves = (Leaf("a", "param", (3,)), Leaf("b", "param", (3,)))

    def inputs(self, seed):
        return {"a": sample(seed, (3,)), "b": sample(seed + 1, (3,))}

    def build(self, a, b):
        return Pair(jnp.array(a), jnp.array(b))

    def test_p13_equality_has_a_truth_value(self):
        """A tuple compares its elements."""


class EmptyLaws(PytreeLaws):
    """A class without arrays: only its configuration."""

    class Empty(eqx.Module):
        depth: int = eqx.field(static=True)

        def __call__(self, x):
            return x * self.depth

    static = {"depth": 2}
    returns = (Output((3,)),)

    def inputs(self, seed):
        return {"depth": 2}

    def build(self, depth):
        return self.Empty(depth)

    def arguments(self, seed):
        return (sample(seed, (3,)),)

    def call(self, empty, *arguments):
        return empty(*arguments)


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


class LibraryLaws(PytreeLaws):
    """A layer of equinox.nn."""

    layer: Any = None
    shape: tuple[int, ...] = (3,)

    def build(self, key):
        return type(self).layer(key)

    def arguments(self, seed):
        return (sample(seed, self.shape),)

    def call(self, layer, *arguments):
        return layer(*arguments)


class LinearLaws(LibraryLaws):
    leaves = (Leaf("weight", "param", (2, 3)), Leaf("bias", "param", (2,)))
    static = {"in_features": 3, "out_features": 2, "use_bias": True}
    returns = (Output((2,)),)
    layer = staticmethod(lambda key: eqx.nn.Linear(3, 2, key=key))


class LayerNormLaws(LibraryLaws):
    leaves = (Leaf("weight", "param", (3,)), Leaf("bias", "param", (3,)))
    returns = (Output((3,)),)
    layer = staticmethod(lambda key: eqx.nn.LayerNorm(3))


class GRULaws(LibraryLaws):
    leaves = (
        Leaf("weight_ih", "param", (9, 2)),
        Leaf("weight_hh", "param", (9, 3)),
        Leaf("bias", "param", (9,)),
        Leaf("bias_n", "param", (3,)),
    )
    returns = (Output((3,)),)
    carry = 1
    layer = staticmethod(lambda key: eqx.nn.GRUCell(2, 3, key=key))

    def arguments(self, seed):
        return sample(seed, (2,)), sample(seed, (3,))


class LSTMLaws(GRULaws):
    leaves = (
        Leaf("weight_ih", "param", (12, 2)),
        Leaf("weight_hh", "param", (12, 3)),
        Leaf("bias", "param", (12,)),
    )
    returns = (Output((3,)), Output((3,)))
    layer = staticmethod(lambda key: eqx.nn.LSTMCell(2, 3, key=key))

    def arguments(self, seed):
        return sample(seed, (2,)), (sample(seed, (3,)), sample(seed + 1, (3,)))


class EmbeddingLaws(LibraryLaws):
    leaves = (Leaf("weight", "param", (2, 3)),)
    returns = (Output((3,)),)
    layer = staticmethod(lambda key: eqx.nn.Embedding(2, 3, key=key))

    def arguments(self, seed):
        return (sample(seed, (), "int32"),)


class MLPLaws(LibraryLaws):
    leaves = (
        Leaf("layers", "module"),
        Leaf("activation", "python"),
        Leaf("final_activation", "python"),
    )
    returns = (Output((2,)),)
    layer = staticmethod(lambda key: eqx.nn.MLP(3, 2, 4, 1, key=key))


class DropoutLaws(LibraryLaws):
    leaves = (Leaf("p", "python"), Leaf("inference", "python"))
    returns = (Output((30,)),)
    shape = (30,)
    layer = staticmethod(lambda key: eqx.nn.Dropout(0.5))

    def arguments(self, seed):
        return sample(seed, (30,)), sample(seed, (), "key")

    def call(self, layer, x, key):
        return layer(x, key=key)


class AttentionLaws(LibraryLaws):
    leaves = tuple(
        Leaf(name, "module") for name in ("query_proj", "key_proj", "value_proj", "output_proj", "dropout")
    )
    returns = (Output((3, 4)),)
    layer = staticmethod(lambda key: eqx.nn.MultiheadAttention(2, 4, key=key))

    def arguments(self, seed):
        return (sample(seed, (3, 4)),) * 3


GOOD = [
    suite
    for suite in vars().copy().values()
    if isinstance(suite, type) and issubclass(suite, PytreeLaws) and suite not in (PytreeLaws, LibraryLaws)
]
