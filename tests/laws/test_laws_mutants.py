"""Each law fails on the mistakes that it is there for, and its message names the cause."""
# ruff: noqa: RUF012 - suites declare plain dicts, as their users do

import dataclasses
import functools
import types

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from good_specimens import (
    Affine,
    AffineLaws,
    Cell,
    CellLaws,
    Constrained,
    Leaf,
    NoisyLaws,
    Output,
    PytreeLaws,
    Scaled,
    ScaledLaws,
    StackLaws,
    Table,
    TableLaws,
    sample,
)
from laws_runner import run

GetAttrKey = jax.tree_util.GetAttrKey
MUTANTS = []


def mutant(law, *words):
    """Marks a suite whose class must break `law`, with these words in the message."""

    def mark(suite):
        MUTANTS.append(pytest.param(suite, law, words, id=f"{law}-{suite.__name__}"))
        return suite

    return mark


@pytest.mark.parametrize("suite, law, words", MUTANTS)
def test_the_law_fails_and_names_the_cause(suite, law, words):
    outcome = run(suite, on_warning="ignore")  # a library may warn of the mistake
    assert law in outcome, f"{suite.__name__} breaks {sorted(outcome)} only"
    for word in words:
        assert word in outcome.text(law)


class Node:
    """A class with a weight, a bias and a static scale, to be registered rightly or wrongly."""

    def __init__(self, weight, bias, scale):
        self.weight, self.bias, self.scale = weight, bias, scale

    def __call__(self, x):
        return self.weight * x * self.scale + self.bias


def rebuild(cls, **stored):
    self = object.__new__(cls)
    self.__dict__.update(stored)
    return self


def children(self):
    return (self.weight, self.bias)


def named(self):
    return (GetAttrKey("weight"), self.weight), (GetAttrKey("bias"), self.bias)


def node(flatten=None, unflatten=None, with_keys=None, **attributes):
    """A registered class of its own; the arguments replace what is right."""

    class Mine(Node):
        pass

    for name, value in attributes.items():
        setattr(Mine, name, value)
    jax.tree_util.register_pytree_with_keys(
        Mine,
        with_keys or (lambda self: (named(self), (self.scale,))),
        functools.partial(
            unflatten or (lambda cls, aux, c: rebuild(cls, weight=c[0], bias=c[1], scale=aux[0])),
            Mine,
        ),
        flatten or (lambda self: (children(self), (self.scale,))),
    )
    return Mine


class NodeLaws(PytreeLaws):
    leaves = (Leaf("weight", "param", (3,)), Leaf("bias", "param", (3,)))
    static = {"scale": 2}
    returns = (Output((3,)),)
    cls = node()

    def inputs(self, seed):
        return {"weight": sample(seed, (3,)), "bias": sample(seed + 1, (3,)), "scale": 2}

    def build(self, weight, bias, scale):
        return self.cls(jnp.array(weight), jnp.array(bias), scale)

    def arguments(self, seed):
        return (sample(seed, (3,)),)

    def call(self, node, *arguments):
        return node(*arguments)

    def test_p03_a_trivial_subclass_is_a_pytree_too(self):
        """Left out: these classes do not register their subclasses."""


def test_the_right_node_holds_every_law():
    assert not run(NodeLaws)


# P1


@mutant("P1", "`table`", "changed its input in place")
class ChangesInput(TableLaws):
    def build(self, table, attr, static):
        table["a"] = jnp.full((3,), 42, attr.dtype)
        return Table(dict(table), jnp.array(attr), static)


@mutant("P1", "caller's own dict", "given as `table`")
class KeepsInput(TableLaws):
    def build(self, table, attr, static):
        return Table(table, jnp.array(attr), static)


@mutant("P1", "shares its buffer with the input `weight`", "jnp.array(x)")
class KeepsArray(NodeLaws):
    def build(self, weight, bias, scale):
        return self.cls(jnp.asarray(weight), jnp.array(bias), scale)


@mutant("P1", "caller's arrays")
class KeepsNumPy(NodeLaws):
    def inputs(self, seed):
        inputs = super().inputs(seed)
        return {**inputs, "weight": np.array(inputs["weight"])}

    def build(self, weight, bias, scale):
        return self.cls(weight, jnp.array(bias), scale)


@mutant("P1", "equal inputs differ", "does not come from the key")
class GlobalRandomness(NodeLaws):
    def build(self, weight, bias, scale):
        noise = jnp.asarray(np.random.standard_normal(3), weight.dtype)
        return self.cls(weight + noise, jnp.array(bias), scale)


@mutant("P1", "hold one and the same list")
class SharedDefault(NodeLaws):
    cls = node(__call__=Node.__call__)
    history = []

    def build(self, weight, bias, scale):
        built = super().build(weight, bias, scale)
        built.history = self.history
        return built


@mutant("P1", "inputs that must raise TypeError were accepted")
class ChecksNothing(NodeLaws):
    rejected = (({"scale": 2.5}, TypeError),)


@mutant("P1", "outside of its leaves")
class ComputedStatic(NodeLaws):
    def build(self, weight, bias, scale):
        return self.cls(jnp.array(weight), jnp.array(bias), jnp.sum(weight))


# P2


@mutant("P2", "`bias`", "declared as param, but no leaf")
class LeftOut(NodeLaws):
    cls = node(
        flatten=lambda self: ((self.weight,), (self.scale,)),
        with_keys=lambda self: (((GetAttrKey("weight"), self.weight),), (self.scale,)),
        unflatten=lambda cls, aux, c: rebuild(cls, weight=c[0], scale=aux[0]),
    )


@mutant("P2", "no pytree", "not registered")
class Unregistered(NodeLaws):
    class cls(node()):
        pass


@mutant("P2", "scale", "a leaf that is not declared: int 2")
class StaticAmongLeaves(NodeLaws):
    cls = node(
        flatten=lambda self: ((*children(self), self.scale), ()),
        with_keys=lambda self: ((*named(self), (GetAttrKey("scale"), self.scale)), ()),
        unflatten=lambda cls, aux, c: rebuild(cls, weight=c[0], bias=c[1], scale=c[2]),
    )


class Closing(eqx.Module):
    weight: jax.Array
    forward: object = eqx.field(static=True)

    def __call__(self, x):
        return self.forward(x)


class OneWeight(PytreeLaws):
    leaves = (Leaf("weight", "param", (3,)),)
    returns = (Output((3,)),)

    def inputs(self, seed):
        return {"weight": sample(seed, (3,))}

    def arguments(self, seed):
        return (sample(seed, (3,)),)

    def call(self, instance, *arguments):
        return instance(*arguments)


@mutant("P2", "closure over weight", "not a leaf")
@mutant("P5", "forward", "local function")
class Closure(OneWeight):
    def build(self, weight):
        weight = jnp.array(weight)
        return Closing(weight, lambda x: weight * x)


@mutant("P2", "(args)", "not a leaf")
@mutant("P5", "partial")
class Partial(OneWeight):
    def build(self, weight):
        return Closing(jnp.array(weight), functools.partial(jnp.multiply, jnp.array(weight)))


@mutant("P2", "(self)")
@mutant("P5", "method")
class BoundMethod(OneWeight):
    def build(self, weight):
        return Closing(jnp.array(weight), Constrained(jnp.array(weight)).__call__)


@mutant("P2", "(wrapped)")
class CompiledClosure(OneWeight):
    def build(self, weight):
        kept = jnp.array(weight)
        return Closing(jnp.array(weight), jax.jit(lambda x: kept * x))


class WithConstant(eqx.Module):
    weight: jax.Array
    scale = jnp.full((3,), 2, jnp.float32)

    def __call__(self, x):
        return self.weight * x * self.scale


@mutant("P2", "WithConstant.scale")
class ClassAttribute(OneWeight):
    def build(self, weight):
        return WithConstant(jnp.array(weight))


@mutant("P2", "the shape is (3,), declared is (2,)")
class WrongShape(NodeLaws):
    leaves = (Leaf("weight", "param", (2,)), Leaf("bias", "param", (3,)))


@mutant("P2", "the dtype is float32, declared is float16")
class WrongDtype(NodeLaws):
    leaves = (Leaf("weight", "param", (3,), "float16"), Leaf("bias", "param", (3,)))


@mutant("P2", "must be a jax.Array")
@mutant("P5", "no jax.Array but ndarray")
class NumPyLeaf(NodeLaws):
    def build(self, weight, bias, scale):
        return self.cls(np.array(weight), jnp.array(bias), scale)


# P3


@mutant("P3", "children in another order")
class Swapped(NodeLaws):
    cls = node(unflatten=lambda cls, aux, c: rebuild(cls, weight=c[1], bias=c[0], scale=aux[0]))


@mutant("P3", "object", "unflatten")
class Converted(NodeLaws):
    cls = node(unflatten=lambda cls, aux, c: cls(*map(jnp.asarray, c), *aux))


@mutant("P3", "conversion in unflatten")
class ConvertedIfItCan(NodeLaws):
    def convert(cls, aux, c):
        c = [jnp.array(v) if hasattr(v, "shape") else v for v in c]
        return rebuild(cls, weight=c[0], bias=c[1], scale=aux[0])

    cls = node(unflatten=convert)


@mutant("P3", "unflatten of object leaves raised")
class Doubled(NodeLaws):
    cls = node(unflatten=lambda cls, aux, c: cls(2 * c[0], c[1], *aux))


@mutant("P3", "`table.a`", "put in")
class PresetAgain(TableLaws):
    class Preset:
        def __init__(self, table, attr, static):
            self.table = {**table, "a": jnp.full((3,), 42, jnp.float32)}
            self.attr, self.static = attr, static

        __call__ = Table.__call__

    jax.tree_util.register_pytree_with_keys(
        Preset,
        lambda self: (
            ((GetAttrKey("table"), self.table), (GetAttrKey("attr"), self.attr)),
            (self.static,),
        ),
        lambda aux, c, cls=Preset: cls(*c, *aux),
    )

    def build(self, table, attr, static):
        return self.Preset(jax.tree.map(jnp.array, table), jnp.array(attr), static)


@mutant("P3", "the attribute is lost")
class Forgotten(NodeLaws):
    cls = node(unflatten=lambda cls, aux, c: rebuild(cls, weight=c[0], bias=c[1]))


@mutant("P3", "`scale`", "derives the value anew")
class DerivedAgain(NodeLaws):
    cls = node(unflatten=lambda cls, aux, c: rebuild(cls, weight=c[0], bias=c[1], scale=2))


@mutant("P3", "no pytree")
class SubclassUnregistered(NodeLaws):
    test_p03_a_trivial_subclass_is_a_pytree_too = PytreeLaws.test_p03_a_trivial_subclass_is_a_pytree_too


@mutant("P3", "unflatten names its class")
class SubclassForgotten(SubclassUnregistered):
    class cls(Node):
        def __init_subclass__(sub):
            jax.tree_util.register_pytree_with_keys(
                sub,
                lambda self: (named(self), (self.scale,)),
                lambda aux, c: rebuild(NodeLaws.cls, weight=c[0], bias=c[1], scale=aux[0]),
            )

    jax.tree_util.register_pytree_with_keys(
        cls,
        lambda self: (named(self), (self.scale,)),
        lambda aux, c, cls=cls: rebuild(cls, weight=c[0], bias=c[1], scale=aux[0]),
    )


@mutant("P3", "type", "gave a Node")
class AnotherType(NodeLaws):
    cls = node(unflatten=lambda cls, aux, c: Node(*c, *aux))


# P4


@mutant("P4", "another leaf at this position")
class OrdersDiffer(NodeLaws):
    cls = node(with_keys=lambda self: (named(self)[::-1], (self.scale,)))


@mutant("P4", "two leaves have this path")
class SameNames(NodeLaws):
    cls = node(
        with_keys=lambda self: (
            ((GetAttrKey("bias"), self.weight), (GetAttrKey("bias"), self.bias)),
            (self.scale,),
        )
    )


@mutant("P4", "leads to")
class WrongNames(NodeLaws):
    cls = node(
        with_keys=lambda self: (
            ((GetAttrKey("bias"), self.weight), (GetAttrKey("weight"), self.bias)),
            (self.scale,),
        )
    )


@mutant("P4", "without keys")
class NoKeys(NodeLaws):
    class cls(Node):
        pass

    jax.tree_util.register_pytree_node(
        cls,
        lambda self: (children(self), (self.scale,)),
        lambda aux, c, cls=cls: rebuild(cls, weight=c[0], bias=c[1], scale=aux[0]),
    )


# P5


@mutant("P5", "dict", "can change after a compilation")
class DictAux(NodeLaws):
    cls = node(
        flatten=lambda self: (children(self), {"scale": self.scale}),
        with_keys=lambda self: (named(self), {"scale": self.scale}),
        unflatten=lambda cls, aux, c: rebuild(cls, weight=c[0], bias=c[1], **aux),
    )


@mutant("P5", "list", "can change after a compilation")
class ListAux(NodeLaws):
    cls = node(
        flatten=lambda self: (children(self), [self.scale]),
        with_keys=lambda self: (named(self), [self.scale]),
    )


class WithScale(NodeLaws):
    """A static value of any kind, which the call does not use."""

    static = {}
    cls = node(__call__=lambda self, x: self.weight * x + self.bias)
    scale = None

    def build(self, weight, bias, scale):
        return super().build(weight, bias, type(self).scale(weight))


@mutant("P5", "`Mine.scale`", "an array")
@mutant("P2", "Mine.scale", "not a leaf")
class ArrayStatic(WithScale):
    scale = staticmethod(jnp.array)


@mutant("P5", "an array")
class NumPyScalarStatic(WithScale):
    scale = staticmethod(lambda _: np.float32(2))


@mutant("P5", "NaN")
class NaNStatic(WithScale):
    scale = staticmethod(lambda _: float("nan"))


@mutant("P5", "local function")
@mutant("P6", "a second instance was traced anew")
class LambdaStatic(WithScale):
    scale = staticmethod(lambda _: lambda x: x)


@mutant("P5", "have treedefs")
@mutant("P14", "deepcopy")
class IdentityStatic(WithScale):
    class Config:
        size = 2

    scale = staticmethod(lambda _: IdentityStatic.Config())


@mutant("P5", "hash of the aux data")
class UnhashableStatic(WithScale):
    scale = staticmethod(lambda _: types.SimpleNamespace(size=2))


@mutant("P5", "nested", "list")
class NestedStatic(WithScale):
    scale = staticmethod(lambda _: ("nested", ([1],)))


@mutant("P5", "the static value is 3, declared is 2")
class WrongStatic(NodeLaws):
    def build(self, weight, bias, scale):
        return super().build(weight, bias, scale + 1)


@mutant("P5", "does not depend on this static value")
class StaticNotInAux(NodeLaws):
    cls = node(
        flatten=lambda self: (children(self), ()),
        with_keys=lambda self: (named(self), ()),
        unflatten=lambda cls, aux, c: rebuild(cls, weight=c[0], bias=c[1], scale=2),
    )


@mutant("P5", "`bias`", "weakly typed")
class Weak(AffineLaws):
    def build(self, **inputs):
        return Affine(Affine.create(**inputs).weight, jnp.full(3, 2.0))


# P6


@mutant("P6", "neither its treedef nor its leaves")
class SettingOutside(NodeLaws):
    other = {"scale": 3}
    cls = node(
        flatten=lambda self: (children(self), ()),
        with_keys=lambda self: (named(self), ()),
        unflatten=lambda cls, aux, c: rebuild(cls, weight=c[0], bias=c[1], scale=2),
    )


# P7 and P8


@mutant("P7", "the call under jax.jit", "TracerBoolConversionError")
class Branches(AffineLaws):
    def call(self, affine, x):
        y = affine(x)
        return y if y.sum() > 0 else -y


@mutant("P7", "eager")
class OnlyEager(AffineLaws):
    def call(self, affine, x):
        y = affine(x)
        return 2 * y if isinstance(y, jax.core.Tracer) else y


@mutant("P7", "bfloat16", "float32")
class FixedDtype(AffineLaws):
    strict = False

    def call(self, affine, x):
        return affine(x) * jnp.full((3,), 2.0, jnp.float32)


@mutant("P7", "TypePromotionError")
class Promotes(AffineLaws):
    def call(self, affine, x):
        return affine(x) * jnp.ones((3,), jnp.bfloat16)


@mutant("P7", "the shape is (3,), declared is (2,)")
class OtherOutput(AffineLaws):
    returns = (Output((2,)),)


class Agent(eqx.Module):
    """A compiled closure over the weights, kept behind a static field."""

    weight: jax.Array
    table: dict = eqx.field(static=True)

    def __call__(self, x):
        return self.table["forward"](x)


@mutant("P8", "`weight`", "changes no output")
@mutant("P9", "`weight`", "the gradient is zero")
class StaleClosure(OneWeight):
    def build(self, weight):
        weight = jnp.array(weight)
        return Agent(weight, {"forward": jax.jit(lambda x: weight * x)})


class Norm(eqx.Module):
    weight: jax.Array
    length: jax.Array

    def __call__(self, x):
        return x * self.length


@mutant("P8", "`weight`", "stored value derived from it")
@mutant("P9", "`weight`", "does not use")
class DerivedOnce(OneWeight):
    leaves = (Leaf("weight", "param", (3,)), Leaf("length", "param", (3,)))

    def build(self, weight):
        return Norm(jnp.array(weight), jnp.sqrt(weight**2))


class Assigned(Node):
    forward = jax.jit(Node.__call__, static_argnums=0)

    def __call__(self, x):
        return self.forward(x)


@mutant("P8", "after an assignment", "static self")
class StaticSelf(NodeLaws):
    cls = node(__call__=Assigned.__call__, forward=Assigned.forward)


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
@mutant("P16", "`trainable`", "declared buffers need a `trainable()`")
class BufferTrained(BufferLaws):
    cls = Stopped


@mutant("P9", "`table`", "stop_gradient")
class BufferWithGradient(BufferLaws):
    cls = Marked


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


@mutant("P15", "`bias`", "shares its buffer with weight")
class OneBuffer(NodeLaws):
    def build(self, weight, bias, scale):
        weight = jnp.array(weight)
        return self.cls(weight, weight, scale)


_CONSTANT = jnp.full((3,), 0.5, jnp.float32)


@mutant("P15", "another instance's bias", "shares its buffer")
class ModuleConstant(NodeLaws):
    def build(self, weight, bias, scale):
        return self.cls(jnp.array(weight), _CONSTANT, scale)


@mutant("P15", "`build`", "a key is used twice", "one key split per consumer")
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


@mutant("P16", "eight keys give the same output")
class KeyIgnored(NoisyLaws):
    def call(self, noisy, x, key):
        return noisy(x, jax.random.key(0))


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
