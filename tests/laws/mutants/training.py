"""Mutants for P9 to P12: gradients, vmap, carries, purity."""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
from harness.mutants import Node, NodeLaws, mutant, node, rebuild
from jax.experimental.sparse import BCOO
from right.modules import AffineLaws, CellLaws
from right.specimens import Leaf, Output, sample

from mutants.structure import OneWeight

# P9


class BufferLaws(OneWeight):
    leaves = (Leaf("weight", "param", (3,)), Leaf("table", "buffer", (3,)))

    def build(self, weight):
        return self.cls(jnp.array(weight), jnp.arange(1, 4, dtype=weight.dtype))


class Stopped(eqx.Module):
    weight: jax.Array
    table: jax.Array

    def __call__(self, x):
        return self.weight * x + jax.lax.stop_gradient(self.table)


class Marked(Stopped):
    def __call__(self, x):
        return self.weight * x + self.table

    def trainable(self):
        return eqx.tree_at(lambda tree: tree.table, jax.tree.map(eqx.is_inexact_array, self), False)


@mutant("P9", "`table`", "declared as buffer, a training step moved it")
@mutant("P16", "`trainable`", "frozen parts need a `trainable()`")
class BufferTrained(BufferLaws):
    cls = Stopped


@mutant("P9", "`table`", "stop_gradient")
class BufferWithGradient(BufferLaws):
    cls = Marked


class DataLaws(BufferLaws):
    leaves = (Leaf("weight", "param", (3,)), Leaf("table", "data", (3,)))


class Flowing(Marked):
    """A right class: its table is data."""


class RightDataLaws(DataLaws):
    cls = Flowing


class CutOff(Marked):
    def __call__(self, x):
        return self.weight * x + jax.lax.stop_gradient(self.table) * x


class Untold(eqx.Module):
    weight: jax.Array
    table: jax.Array

    def __call__(self, x):
        return self.weight * x + self.table


@mutant("P9", "`table`", "small steps show the slope", "what is to be cut off")
class DataAsBuffer(DataLaws):
    cls = CutOff


@mutant("P9", "`table`", "declared as data, a training step moved it")
@mutant("P16", "`trainable`", "frozen parts need a `trainable()`")
class DataAsParam(DataLaws):
    cls = Untold


class FrozenLaws(DataLaws):
    leaves = (Leaf("weight", "param", (3,)), Leaf("table", "param", (3,), frozen=True))


class RightFrozenLaws(FrozenLaws):
    cls = Flowing


@mutant("P9", "`table`", "declared as frozen, a training step moved it")
@mutant("P16", "`trainable`", "frozen parts need a `trainable()`")
class FrozenThatMoves(FrozenLaws):
    cls = Untold


@mutant("P9", "`table`", "small steps show the slope", "or on what is frozen")
class FrozenThatCutsOff(FrozenLaws):
    cls = CutOff


class Adapter(eqx.Module):
    """A trained scale before a sub-module that is frozen."""

    weight: jax.Array
    base: eqx.nn.Linear

    def __call__(self, x):
        return self.base(self.weight * x)

    def trainable(self):
        return eqx.tree_at(lambda tree: tree.weight, jax.tree.map(lambda _: False, self), True)


class RightAdapterLaws(OneWeight):
    cls = Adapter
    leaves = (Leaf("weight", "param", (3,)), Leaf("base", "module", frozen=True))
    returns = (Output((3,)),)

    def build(self, weight):
        return self.cls(jnp.array(weight), eqx.nn.Linear(3, 3, key=jax.random.key(5)))


@mutant("P9", "`base.weight`", "declared as frozen, a training step moved it")
@mutant("P16", "`trainable`")
class FrozenModuleThatMoves(RightAdapterLaws):
    class cls(Adapter):
        def trainable(self):
            return jax.tree.map(eqx.is_inexact_array, self)


@mutant("P9", "`base.weight`", "small steps show the slope", "or on what is frozen")
class FrozenModuleThatCutsOff(RightAdapterLaws):
    class cls(Adapter):
        def __call__(self, x):
            return self.weight * x + jax.lax.stop_gradient(self.base(x))


class Thawing(Adapter):
    """The same, with a flag that says whether the sub-module is frozen."""

    fixed: bool = eqx.field(static=True, default=True)

    def trainable(self):
        every = jax.tree.map(eqx.is_inexact_array, self)
        return eqx.tree_at(lambda tree: tree.base, every, jax.tree.map(lambda _: not self.fixed, self.base))


class RightThawingLaws(RightAdapterLaws):
    cls = Thawing
    leaves = (Leaf("weight", "param", (3,)), Leaf("base", "module", frozen="fixed"))


@mutant("P16", "`base`", "with `fixed = False` it trains []", "does not ask the flag")
class NeverThaws(RightThawingLaws):
    class cls(Thawing):
        trainable = Adapter.trainable


@mutant("P9", "`bias`", "did not move")
@mutant("P16", "`trainable`")
class ParamLeftOut(NodeLaws):
    cls = node(
        trainable=lambda self: jax.tree.map(lambda leaf: leaf is self.weight, self),
    )


@mutant("P9", "not finite")
class InfiniteGradient(NodeLaws):
    cls = node(__call__=lambda self, x: jnp.sqrt(self.weight * 0) + self.bias * x)


# P10 and P11


@mutant("P10", "vmap gives")
class BatchLeaks(AffineLaws):
    def call(self, affine, x):
        return affine(x) * (2 if "Batch" in type(x).__name__ else 1)


@mutant("P10", "vmap gives", "a loop")
class BatchLeaksIntoASparseArray(AffineLaws):
    returns = ()

    def call(self, affine, x):
        y = affine(x) * (2 if "Batch" in type(x).__name__ else 1)
        return BCOO((y, jnp.arange(3, dtype=jnp.int32)[:, None]), shape=(9,))


@mutant("P10", "vmap")
class ChecksRank(NodeLaws):
    def check_rank(cls, aux, c):
        if hasattr(c[0], "ndim") and c[0].ndim != 1:
            raise ValueError("weight must be a vector")
        return rebuild(cls, weight=c[0], bias=c[1], scale=aux[0])

    cls = node(unflatten=check_rank)


@mutant("P11", "argument 1", "float16")
class CarryPromoted(CellLaws):
    returns = ()

    def call(self, cell, x, state):
        state, out = cell(x, state)
        return state.astype(jnp.float16), out


@mutant("P11", "argument 1", "True")
class WeakCarry(CellLaws):
    def arguments(self, seed):
        return sample(seed, (2,)), jnp.full(3, 0.5)


@mutant("P11", "another structure")
class CarryRestructured(CellLaws):
    returns = ()

    def call(self, cell, x, state):
        state, out = cell(x, state)
        return {"state": state}, out


# P12


class Recorder(eqx.Module):
    weight: jax.Array
    seen: list = eqx.field(static=True)

    def __call__(self, x):
        self.seen.append(x)
        return self.weight * x


@mutant("P12", "tracer was left behind")
@mutant("P7", "changed the instance")
class Appends(OneWeight):
    def build(self, weight):
        return Recorder(jnp.array(weight), [])


class Counter(Node):
    def __call__(self, x):
        self.calls = getattr(self, "calls", 0) + 1
        return self.weight * x * self.scale + self.bias


@mutant("P12", "changed what the instance holds")
class CountsCalls(NodeLaws):
    cls = node(__call__=Counter.__call__)


class Cached(eqx.Module):
    size: int = eqx.field(static=True)

    @functools.lru_cache  # noqa: B019 - the mistake
    def table(self):
        return jnp.arange(self.size, dtype=jnp.float32)


class UsesCache(eqx.Module):
    weight: jax.Array
    cached: Cached

    def __call__(self, x):
        return self.weight * x + self.cached.table()


@mutant("P12", "after a first call inside a jit", "UnexpectedTracerError")
class CachedMethod(OneWeight):
    def build(self, weight):
        return UsesCache(jnp.array(weight), Cached(3))


class Property(Node):
    @functools.cached_property
    def double(self):
        return self.weight * 2


@mutant("P12", "tracer was left behind")
class CachedProperty(NodeLaws):
    double = Property.__dict__["double"]
    cls = node(double=double, __call__=lambda self, x: x * (self.double + self.bias) + self.bias)


_CALLS = [0]


@mutant("P12", "the same call gave")
class DependsOnHistory(AffineLaws):
    def call(self, affine, x):
        _CALLS[0] += 1
        return affine(x) * _CALLS[0]


@mutant("P12", "changed its arguments in place")
class ChangesArguments(AffineLaws):
    def arguments(self, seed):
        return ({"x": sample(seed, (2,))},)

    def call(self, affine, batch):
        batch["y"] = affine(batch["x"])
        return batch["y"]
