"""Classes that hold every law, with their suites: what the laws must not refuse."""

# ruff: noqa: RUF012 - suites declare plain dicts, as their users do
import dataclasses
from typing import Any, NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from pytree_laws import Leaf, Output, PytreeLaws, sample
from right import modules as good_modules

GetAttrKey = jax.tree_util.GetAttrKey


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
    for suite in {**vars(good_modules), **vars()}.values()
    if isinstance(suite, type) and issubclass(suite, PytreeLaws) and suite not in (PytreeLaws, LibraryLaws)
]
