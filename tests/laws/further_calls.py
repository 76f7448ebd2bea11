"""Mistakes in a call and in its randomness that are in no catalogue, each with the form that is right."""

# ruff: noqa: RUF012 - suites declare plain dicts, as their users do
import functools
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from good_specimens import Leaf, Output, sample
from pairs import Pair, Weighted, suite_of

PAIRS: dict[str, Pair] = {}


def further(law, title, broken, fixed, *words, base=Weighted, survives="", **declared):
    """Notes a mistake; both forms have suites that declare the same."""
    suites = suite_of(broken, base, **declared), suite_of(fixed, base, **declared)
    PAIRS[title] = Pair(title, *suites, law, words, survives)


class One(eqx.Module):
    """What most of these classes begin with."""

    weight: jax.Array


# --- Values and dtypes ---


class RootOfNumPy(One):
    def __call__(self, x):
        return self.weight * x / np.sqrt(3)


class RootOfPython(One):
    def __call__(self, x):
        return self.weight * x / 3**0.5


further("P7", "`np.sqrt` of a size, which is a strong float64", RootOfNumPy, RootOfPython)


class Normed(One):
    def __call__(self, x):
        return self.weight * x / jnp.linalg.norm(x)


class NormedSafely(One):
    def __call__(self, x):
        square = jnp.sum(x * x)
        some = square > 0
        return self.weight * jnp.where(some, x * jax.lax.rsqrt(jnp.where(some, square, 1)), 0)


further(
    "P9",
    "a norm that has no gradient at zero",
    Normed,
    NormedSafely,
    "finite",
    survives="no law tries arguments of zeros",
)


class Masked(One):
    def __call__(self, x):
        return jnp.where(x > 0, self.weight * jnp.sqrt(x), 0) + self.weight


class MaskedTwice(One):
    def __call__(self, x):
        return jnp.where(x > 0, self.weight * jnp.sqrt(jnp.where(x > 0, x, 1)), 0) + self.weight


further(
    "P9",
    "`where` hides a NaN in the value, and not in the gradient",
    Masked,
    MaskedTwice,
    "finite",
    survives="no law tries arguments of zeros",
)


class LogOfWeight(One):
    def __call__(self, x):
        return jnp.where(self.weight > 0, jnp.log(self.weight), 0) + self.weight * x


class LogOfWeightSafely(One):
    def __call__(self, x):
        some = self.weight > 0
        return jnp.where(some, jnp.log(jnp.where(some, self.weight, 1)), 0) + self.weight * x


further(
    "P9",
    "`where` hides a NaN that a parameter gives",
    LogOfWeight,
    LogOfWeightSafely,
    "finite",
    survives="slopes that are not finite are passed over, also where the output is",
)


class Softplus(One):
    def __call__(self, x):
        return jnp.log(1 + jnp.exp(self.weight * x))


class SoftplusSafely(One):
    def __call__(self, x):
        return jnp.logaddexp(self.weight * x, jnp.zeros_like(x))


further(
    "P7",
    "`log(1 + exp(x))`, which overflows",
    Softplus,
    SoftplusSafely,
    "finite",
    survives="no law tries large arguments",
)


class Squeezed(eqx.Module):
    weight: jax.Array

    def __call__(self, x):
        return (self.weight @ x[:, None]).squeeze()


class SqueezedByAxis(Squeezed):
    def __call__(self, x):
        return (self.weight @ x[:, None]).squeeze(-1)


class MatrixLaws(Weighted):
    leaves = (Leaf("weight", "param", (3, 2)),)
    returns = (Output((3,)),)

    def inputs(self, seed):
        return {"weight": sample(seed, (3, 2))}

    def arguments(self, seed):
        return (sample(seed, (2,)),)


class OneRow(MatrixLaws):
    other = {"weight": sample(0, (1, 2))}


further(
    "P7",
    "`squeeze` without an axis, which takes sizes of one too",
    Squeezed,
    SqueezedByAxis,
    base=OneRow,
    survives="no law looks at the outputs of another configuration",
)


class Rounded(One):
    def __call__(self, x):
        return jnp.round(4 * self.weight) / 4 * x


class RoundedStraight(One):
    def __call__(self, x):
        rounded = jnp.round(4 * self.weight) / 4
        return (self.weight + jax.lax.stop_gradient(rounded - self.weight)) * x


further("P9", "a rounded parameter, without a gradient", Rounded, RoundedStraight, "gradient")


class ShiftedSoftmax(eqx.Module):
    weight: jax.Array
    shift: jax.Array

    def __call__(self, x):
        return jax.nn.softmax(self.weight * x + self.shift)


class ScaledSoftmax(ShiftedSoftmax):
    def __call__(self, x):
        return jax.nn.softmax(self.weight * x * self.shift)


class ShiftLaws(Weighted):
    leaves = (Leaf("weight", "param", (3,)), Leaf("shift", "param", ()))

    def build(self, weight):
        return self.cls(jnp.array(weight), jnp.ones((), weight.dtype))


further("P8", "a shift that softmax takes out again", ShiftedSoftmax, ScaledSoftmax, "shift", base=ShiftLaws)


class Looped(One):
    def __call__(self, x):
        def more(state):
            return jnp.sum(jnp.abs(state)) > 0.1

        return jax.lax.while_loop(more, lambda state: state * self.weight / 2, x)


class Scanned(One):
    def __call__(self, x):
        return jax.lax.fori_loop(0, 3, lambda _, state: state * self.weight, x)


further(
    "P9",
    "a `while_loop` in what is trained",
    Looped,
    Scanned,
    survives="gradients in forward mode are enough",
)


class SquareRule(One):
    def __call__(self, x):
        return _square_wrong(self.weight) * x


class SquareRuleRight(One):
    def __call__(self, x):
        return _square(self.weight) * x


def _ruled(slope):
    @jax.custom_jvp
    def square(x):
        return x * x

    @square.defjvp
    def _(primals, tangents):
        return square(*primals), slope * primals[0] * tangents[0]

    return square


_square_wrong, _square = _ruled(1), _ruled(2)
further(
    "P9",
    "a custom derivative that is not the derivative",
    SquareRule,
    SquareRuleRight,
    "gradient",
    survives="no law compares gradients with differences",
)


class Columns(eqx.Module):
    """Adds a column to a row: a square where a row was meant."""

    weight: jax.Array

    def __call__(self, x):
        column = x[:, None]
        return jnp.mean(self.weight - column, axis=0)


class Rows(Columns):
    def __call__(self, x):
        return self.weight - x


further("P7", "a column minus a row", Columns, Rows, "rank_promotion", broadcasts=False)


class SizeLeaf(eqx.Module):
    weight: jax.Array
    size: jax.Array

    def __call__(self, x):
        return self.weight * x + jnp.zeros(self.size, x.dtype)


class SizeStatic(eqx.Module):
    weight: jax.Array
    size: int = eqx.field(static=True)

    __call__ = SizeLeaf.__call__


class SizeLaws(Weighted):
    leaves = (Leaf("weight", "param", (3,)), Leaf("size", "buffer", (), "int32"))

    def build(self, weight):
        return self.cls(jnp.array(weight), jnp.asarray(3, jnp.int32))


class SizeStaticLaws(Weighted):
    static = {"size": 3}
    cls = SizeStatic

    def build(self, weight):
        return self.cls(jnp.array(weight), 3)


_title = "a size that is an array"
PAIRS[_title] = Pair(_title, suite_of(SizeLeaf, SizeLaws), SizeStaticLaws, "P7", ("Shapes must be 1D",))


class Order(eqx.Module):
    """Layers in a dict: as inserted at first, by name after a round trip."""

    layers: dict[str, jax.Array]

    def __call__(self, x):
        for layer in self.layers.values():
            x = jnp.tanh(layer * x + 1)
        return x


class OrderByName(Order):
    def __call__(self, x):
        for name in sorted(self.layers, key=len):
            x = jnp.tanh(self.layers[name] * x + 1)
        return x


class OrderLaws(Weighted):
    leaves = (Leaf("layers.layer2", "param", (3,)), Leaf("layers.layer10", "param", (3,)))

    def build(self, weight):
        return self.cls({"layer2": jnp.array(weight), "layer10": 2 * weight})


further("P7", "layers in the order of a dict, which jax sorts by name", Order, OrderByName, base=OrderLaws)


# --- Randomness ---


class Drawn(eqx.Module):
    weight: jax.Array
    recur: jax.Array

    def __call__(self, x):
        return self.recur @ jnp.tanh(self.weight @ x)


class DrawnLaws(MatrixLaws):
    leaves = (Leaf("weight", "param", (3, 2)), Leaf("recur", "param", (3, 3)))
    drawn = ("weight", "recur")

    def inputs(self, seed):
        return {"key": jax.random.key(seed)}

    def build(self, key):
        return self.cls.create(key)


def normal(key, shape):
    return jax.random.normal(key, shape, jnp.result_type(float))


class FoldedTwice(Drawn):
    @classmethod
    def create(cls, key):
        return cls(normal(jax.random.fold_in(key, 0), (3, 2)), normal(jax.random.fold_in(key, 0), (3, 3)))


class FoldedOnce(Drawn):
    @classmethod
    def create(cls, key):
        return cls(normal(jax.random.fold_in(key, 0), (3, 2)), normal(jax.random.fold_in(key, 1), (3, 3)))


further(
    "P15",
    "one number folded into a key twice",
    FoldedTwice,
    FoldedOnce,
    "key",
    base=DrawnLaws,
    survives="jax's check takes no notice of `fold_in`",
)


class ItemTwice(Drawn):
    @classmethod
    def create(cls, key):
        keys = jax.random.split(key, 3)
        return cls(normal(keys[1], (3, 2)), normal(keys[1], (3, 3)))


class ItemOnce(Drawn):
    @classmethod
    def create(cls, key):
        keys = jax.random.split(key, 3)
        return cls(normal(keys[0], (3, 2)), normal(keys[1], (3, 3)))


further(
    "P15", "one item of the split keys used twice", ItemTwice, ItemOnce, "key is used twice", base=DrawnLaws
)


class ParentUsed(Drawn):
    @classmethod
    def create(cls, key):
        new, _ = jax.random.split(key)
        return cls(normal(new, (3, 2)), normal(key, (3, 3)))


further("P15", "a key used after it was split", ParentUsed, ItemOnce, "key is used twice", base=DrawnLaws)


class RawKeyTwice(Drawn):
    @classmethod
    def create(cls, key):
        raw = jax.random.key_data(key)
        return cls(normal(raw, (3, 2)), normal(raw, (3, 3)))


class RawKeyOnce(Drawn):
    @classmethod
    def create(cls, key):
        one, two = jax.random.split(jax.random.key_data(key))
        return cls(normal(one, (3, 2)), normal(two, (3, 3)))


further(
    "P15",
    "an old-style key used twice for two shapes",
    RawKeyTwice,
    RawKeyOnce,
    base=DrawnLaws,
    survives="jax's check takes no notice of old-style keys",
)


class Experts(eqx.Module):
    weight: jax.Array

    def __call__(self, x):
        return jnp.tanh(self.weight @ x)


class ExpertLaws(MatrixLaws):
    drawn = ("weight",)

    def inputs(self, seed):
        return {"key": jax.random.key(seed)}

    def build(self, key):
        return self.cls.create(key)


class SameExperts(Experts):
    @classmethod
    def create(cls, key):
        return cls(jax.vmap(lambda _: normal(key, (2,)))(jnp.arange(3)))


class OwnExperts(Experts):
    @classmethod
    def create(cls, key):
        return cls(jax.vmap(lambda key: normal(key, (2,)))(jax.random.split(key, 3)))


further(
    "P15",
    "stacked layers that vmap draws from one key",
    SameExperts,
    OwnExperts,
    "draw",
    base=ExpertLaws,
    survives="no law compares the rows of a draw",
)


class NoisyLaws(Weighted):
    leaves = (Leaf("weight", "param", (3,)),)
    returns = (Output((2, 3)),)

    def arguments(self, seed):
        return sample(seed, (2, 3)), jax.random.key(seed)


class SameNoise(One):
    def __call__(self, x, key):
        return jax.vmap(lambda row: self.weight * row + normal(key, (3,)).astype(row.dtype))(x)


class OwnNoise(One):
    def __call__(self, x, key):
        keys = jax.random.split(key, len(x))
        return jax.vmap(lambda row, key: self.weight * row + jax.random.normal(key, (3,), row.dtype))(x, keys)


further(
    "P15",
    "one key for all rows of a batch",
    SameNoise,
    OwnNoise,
    base=NoisyLaws,
    survives="no law compares the noise of two rows",
)


class HashedName(Drawn):
    @classmethod
    def create(cls, key):
        def named(name, shape):
            return normal(jax.random.fold_in(key, hash(name) % 2**31), shape)

        return cls(named("weight", (3, 2)), named("recur", (3, 3)))


class CountedName(Drawn):
    @classmethod
    def create(cls, key):
        def named(name, shape):
            return normal(jax.random.fold_in(key, int.from_bytes(name.encode()) % 2**31), shape)

        return cls(named("weight", (3, 2)), named("recur", (3, 3)))


further(
    "P1",
    "keys from `hash` of a name, new in each process",
    HashedName,
    CountedName,
    base=DrawnLaws,
    survives="all laws run in one process",
)


class DefaultKey(Drawn):
    @classmethod
    def create(cls, key=jax.random.key(0)):  # noqa: B008 - the mistake
        one, two = jax.random.split(key)
        return cls(normal(one, (3, 2)), normal(two, (3, 3)))


class NoDefaultKey(Drawn):
    @classmethod
    def create(cls, key):
        one, two = jax.random.split(key)
        return cls(normal(one, (3, 2)), normal(two, (3, 3)))


further("P1", "a key as a default argument", DefaultKey, NoDefaultKey, "one", base=DrawnLaws)


class NumPyNoise(One):
    def __call__(self, x):
        noise = np.random.default_rng().standard_normal(x.shape)
        return self.weight * x + jnp.asarray(noise, x.dtype)


class NoNoise(One):
    def __call__(self, x):
        return self.weight * x


further("P12", "noise of NumPy in the call, which jit makes a constant", NumPyNoise, NoNoise)


class Recomputed(One):
    @functools.cached_property
    def total(self):
        return jnp.sum(self.weight)

    def __call__(self, x):
        return x / self.total + self.weight


class RecomputedRightly(One):
    @property
    def total(self):
        return jnp.sum(self.weight)

    def __call__(self, x):
        return x / self.total + self.weight


further("P12", "a cached property of a Module", Recomputed, RecomputedRightly)


# --- Arguments, results, and what is kept between calls ---


class TwoArguments(Weighted):
    def arguments(self, seed):
        return sample(seed, (3,)), sample(seed + 1, (3,))


class IgnoresArgument(One):
    def __call__(self, x, context):
        return self.weight * x


class UsesArguments(One):
    def __call__(self, x, context):
        return self.weight * x + context


further(
    "P8",
    "an argument that the call does not use",
    IgnoresArgument,
    UsesArguments,
    base=TwoArguments,
    survives="no law asks whether arguments are used",
)


class Dropped(One):
    def __call__(self, x):
        y = self.weight * x
        y.at[0].set(0)
        return y


class Assigned(One):
    def __call__(self, x):
        return (self.weight * x).at[0].add(1)


further(
    "P12",
    "the result of `.at[].set()` thrown away",
    Dropped,
    Assigned,
    survives="no law looks for results that nothing uses",
)


class Unchecked(One):
    def __call__(self, x):
        eqx.error_if(x, jnp.any(x > 1e9), "x is too big")
        return self.weight * x


class Checked(One):
    def __call__(self, x):
        x = eqx.error_if(x, jnp.any(x > 1e9), "x is too big")
        return self.weight * x


further(
    "P12",
    "the result of `error_if` thrown away, and the check with it",
    Unchecked,
    Checked,
    survives="no law looks for results that nothing uses",
)


class ClassCache(One):
    tables: ClassVar[dict] = {}

    def __call__(self, x):
        table = self.tables.setdefault((x.shape, x.dtype), jnp.arange(x.size, dtype=x.dtype))
        return self.weight * x + table


class NoCache(One):
    def __call__(self, x):
        return self.weight * x + jnp.arange(x.size, dtype=x.dtype)


further(
    "P12",
    "a cache of arrays on the class",
    ClassCache,
    NoCache,
    survives="the cold call empties no cache on the class",
)


@functools.lru_cache
def _positions(size):
    return jnp.arange(size, dtype=jnp.result_type(float))


class CachedFunction(One):
    def __call__(self, x):
        return self.weight * x + _positions(x.size).astype(x.dtype)


further("P12", "a function of the module that is cached, and makes arrays", CachedFunction, NoCache)


class History(One):
    def __call__(self, x, history=[]):  # noqa: B006 - the mistake
        return self.weight * x + len(history)


class NoHistory(One):
    def __call__(self, x, history=()):
        return self.weight * x + len(history)


further("P1", "a list as a default argument of the call", History, NoHistory, "list")


class Stacked(eqx.Module):
    layers: Any

    def __call__(self, x):
        for layer in self.layers:
            x = jnp.tanh(layer(x))
        return x


class OneLayer(Stacked):
    @classmethod
    def create(cls, key):
        return cls([Experts(normal(key, (3, 3)))] * 2)


class TwoLayers(Stacked):
    @classmethod
    def create(cls, key):
        return cls([Experts(normal(one, (3, 3))) for one in jax.random.split(key)])


class StackedLaws(ExpertLaws):
    leaves = (Leaf("layers.0.weight", "param", (3, 3)), Leaf("layers.1.weight", "param", (3, 3)))
    drawn = ()

    def arguments(self, seed):
        return (sample(seed, (3,)),)


further(
    "P15", "`[layer] * n`, which is one layer", OneLayer, TwoLayers, "shares its buffer", base=StackedLaws
)


class LastKey(Drawn):
    @classmethod
    def create(cls, key):
        keys = jax.random.split(key)
        return cls(normal(keys[1], (3, 2)), normal(keys[2], (3, 3)))


further("P15", "an index past the last key, which jax takes for the last", LastKey, ItemOnce, base=DrawnLaws)


class BranchOnArgument(One):
    """Guards with assert: a branch on values."""

    def __call__(self, x):
        assert jnp.all(x >= 0)
        return self.weight * x


further("P7", "an assertion on the values of an argument", BranchOnArgument, NoNoise, "Tracer")


class Variance(One):
    def __call__(self, x):
        spread = jnp.sqrt(jnp.mean(x * x) - jnp.mean(x) ** 2)
        return self.weight * (x - jnp.mean(x)) / spread


class VarianceSafely(One):
    def __call__(self, x):
        centred = x - jnp.mean(x)
        return self.weight * centred * jax.lax.rsqrt(jnp.mean(centred * centred) + 1e-5)


further(
    "P7",
    "a spread without an epsilon, for equal inputs",
    Variance,
    VarianceSafely,
    "finite",
    survives="no law tries equal arguments",
)


class Floored(One):
    def __call__(self, x):
        return self.weight * x.astype(jnp.int32)


class NotFloored(One):
    def __call__(self, x):
        return self.weight * x


further(
    "P9",
    "an argument cast to integers, which no gradient passes",
    Floored,
    NotFloored,
    survives="no law asks for gradients of arguments",
)
