"""Mistakes in what is stored, registered and compared that are in no catalogue, each with the form that is right."""

# ruff: noqa: RUF012 - suites declare plain dicts, as their users do
import dataclasses
import itertools
from typing import Any, ClassVar, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from good_specimens import Leaf, sample
from mutant_base import GetAttrKey, NodeLaws, named, node, rebuild
from pairs import Pair, Weighted, suite_of

PAIRS: dict[str, Pair] = {}


def further(law, title, broken, fixed, *words, base=Weighted, survives="", **declared):
    """Notes a mistake; both forms have suites that declare the same."""
    suites = suite_of(broken, base, **declared), suite_of(fixed, base, **declared)
    PAIRS[title] = Pair(title, *suites, law, words, survives)


def keyed(names):
    """The children of these attributes, with their keys."""
    return lambda self: tuple((GetAttrKey(name), getattr(self, name)) for name in names)


def registered(cls, names, with_keys=None, unflatten=None, aux=()):
    """Registers a class that holds these attributes; the arguments replace what is right."""

    def rebuilt(statics, children):
        return rebuild(cls, **dict(zip(names, children, strict=True)), **dict(zip(aux, statics, strict=True)))

    jax.tree_util.register_pytree_with_keys(
        cls,
        lambda self: ((with_keys or keyed(names))(self), tuple(getattr(self, one) for one in aux)),
        unflatten or rebuilt,
    )
    return cls


class One:
    """What most of these classes begin with."""

    def __init__(self, weight):
        self.weight = weight

    def __call__(self, x):
        return self.weight * x


class Plain(Weighted):
    """A suite of classes that do not register their subclasses."""

    skips = ("trivial_subclass",)


Right = node()


# --- Flatten and unflatten ---


def _present(self):
    return tuple(pair for pair in named(self) if pair[1] is not None)


def _filled(cls, aux, children):
    return rebuild(cls, **dict(zip(("weight", "bias"), (*children, None), strict=False)), scale=aux[0])


LeavesOutNone = node(
    flatten=lambda self: (tuple(v for _, v in _present(self)), (self.scale,)),
    with_keys=lambda self: (_present(self), (self.scale,)),
    unflatten=_filled,
)
further("P10", "flatten leaves out what is None", LeavesOutNone, Right, base=NodeLaws)


class ListOfLayers(One):
    """Its layers are its children, and come back as a tuple."""

    def __init__(self, weight):
        self.layers = [weight, 2 * weight]

    def __call__(self, x):
        return self.layers[0] * x + self.layers[1]


jax.tree_util.register_pytree_with_keys(
    ListOfLayers,
    lambda self: (tuple((jax.tree_util.SequenceKey(i), one) for i, one in enumerate(self.layers)), ()),
    lambda _, children: rebuild(ListOfLayers, layers=children),
)


class LayersChild(ListOfLayers):
    """The list is one child."""


registered(LayersChild, ("layers",))


class LayerLaws(Plain):
    leaves = (Leaf("layers.0", "param", (3,)), Leaf("layers.1", "param", (3,)))


further("P3", "the items of a list as the children of the class", ListOfLayers, LayersChild, base=LayerLaws)


class BaseSlots:
    __slots__ = ("weight",)


class OwnSlots(BaseSlots):
    """Its `__slots__` are those of the class alone."""

    __slots__ = ("bias",)

    def __init__(self, weight, bias):
        self.weight, self.bias = weight, bias

    def __call__(self, x):
        return self.weight * x + self.bias


class AllSlots(OwnSlots):
    __slots__ = ()


def _slots(cls, names):
    def unflatten(_, children):
        self = object.__new__(cls)
        for name, child in zip(names, children, strict=True):
            setattr(self, name, child)
        return self

    jax.tree_util.register_pytree_with_keys(cls, lambda self: (keyed(names)(self), ()), unflatten)


_slots(OwnSlots, OwnSlots.__slots__)
_slots(AllSlots, ("weight", "bias"))


class SlotLaws(Plain):
    leaves = (Leaf("weight", "param", (3,)), Leaf("bias", "param", (3,)))

    def build(self, weight):
        return self.cls(jnp.array(weight), 2 * weight)


further("P2", "`__slots__` without those of the base", OwnSlots, AllSlots, "`weight`", base=SlotLaws)


class Base(One):
    pass


class WithBias(One):
    """Registered with the flatten of its base."""

    def __init__(self, weight, bias):
        self.weight, self.bias = weight, bias

    def __call__(self, x):
        return self.weight * x + self.bias


class WithBoth(WithBias):
    pass


registered(WithBias, ("weight",))
registered(WithBoth, ("weight", "bias"))
further("P2", "a subclass that flattens as its base does", WithBias, WithBoth, "`bias`", base=SlotLaws)


class Converting(One):
    """Converts whatever is stored."""

    def __setattr__(self, name, value):
        object.__setattr__(self, name, jnp.asarray(value))


def _stored(_, children):
    self = object.__new__(Converting)
    (self.weight,) = children
    return self


registered(Converting, ("weight",), unflatten=_stored)
further(
    "P3",
    "a `__setattr__` that converts",
    Converting,
    registered(type("Storing", (One,), {"__module__": __name__}), ("weight",)),
    "object",
    base=Plain,
)


class Asarray(One):
    """Flatten gives new arrays."""


class StoredAsIs(One):
    pass


registered(Asarray, ("weight",), with_keys=lambda self: ((GetAttrKey("weight"), jnp.asarray(self.weight)),))
registered(StoredAsIs, ("weight",))
further("P13", "a conversion in flatten", Asarray, StoredAsIs, base=Plain)


class CachedChildren(One):
    """Flatten keeps what it gave."""


def _kept(self):
    self.__dict__["_children"] = ((GetAttrKey("weight"), self.weight),)
    return self._children


registered(CachedChildren, ("weight",), with_keys=_kept)
further(
    "P12",
    "a flatten that keeps its children",
    CachedChildren,
    StoredAsIs,
    base=Plain,
    survives="no law asks whether flatten changes the instance",
)


class ByInsertion:
    """Its children are in the order in which they were given."""

    def __init__(self, **parameters):
        self.__dict__.update(parameters)

    def __call__(self, x):
        return self.weight * x + self.bias


class ByName(ByInsertion):
    pass


def _insertion(cls, order):
    jax.tree_util.register_pytree_with_keys(
        cls,
        lambda self: (
            tuple((GetAttrKey(n), v) for n, v in order(vars(self))),
            tuple(dict(order(vars(self)))),
        ),
        lambda names, children: rebuild(cls, **dict(zip(names, children, strict=True))),
    )


_insertion(ByInsertion, lambda held: tuple(held.items()))
_insertion(ByName, lambda held: tuple(sorted(held.items())))


class KeywordLaws(Plain):
    leaves = (Leaf("weight", "param", (3,)), Leaf("bias", "param", (3,)))

    def inputs(self, seed):
        return {"weight": sample(seed, (3,)), "bias": sample(seed + 1, (3,))}

    def build(self, **inputs):
        return self.cls(**{name: jnp.array(value) for name, value in inputs.items()})


further(
    "P1",
    "children in the order in which they were given",
    ByInsertion,
    ByName,
    base=KeywordLaws,
    survives="no law gives the inputs in another order",
)

_NAMES: list[str] = []


class FirstNames:
    """The attributes of the first instance are those of all."""

    def __init__(self, weight, bias):
        self.weight = weight
        if bias is not None:
            self.bias = bias

    def __call__(self, x):
        return self.weight * x + getattr(self, "bias", 0)


class OwnNames(FirstNames):
    pass


def _first(self):
    _NAMES.extend([] if _NAMES else vars(self))
    return keyed(_NAMES)(self)


registered(FirstNames, ("weight", "bias"), with_keys=_first)
_insertion(OwnNames, lambda held: tuple(sorted(held.items())))


class NameLaws(Plain):
    leaves = (Leaf("weight", "param", (3,)), Leaf("bias", "param", (3,)))
    other = {"bias": None}

    def inputs(self, seed):
        return {"weight": sample(seed, (3,)), "bias": sample(seed + 1, (3,))}

    def build(self, weight, bias):
        return self.cls(jnp.array(weight), None if bias is None else jnp.array(bias))


further("P6", "the attributes of the first instance, for all of them", FirstNames, OwnNames, base=NameLaws)


class Labelled(NamedTuple):
    weight: jax.Array

    def __call__(self, x):
        return self.weight * x * getattr(self, "scale", 1)


class Scaling(Labelled):
    """A named tuple with an attribute besides, which no round trip keeps."""

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    @classmethod
    def create(cls, weight):
        self = cls(weight)
        self.scale = 2
        return self


class ScalingRightly(Scaling):
    scale = 2

    @classmethod
    def create(cls, weight):
        return cls(weight)


class CreatedLaws(Plain):
    def build(self, weight):
        return self.cls.create(jnp.array(weight))


further("P3", "an attribute of a named tuple", Scaling, ScalingRightly, "`scale`", base=CreatedLaws)


# --- Static values ---


@dataclasses.dataclass(unsafe_hash=True)
class Settings:
    """Hashable, and yet it can change."""

    scale: int = 2


@dataclasses.dataclass(frozen=True)
class FrozenSettings:
    scale: int = 2


@dataclasses.dataclass(frozen=True)
class Blind:
    """Two of other scales are equal."""

    scale: int = dataclasses.field(default=2, compare=False)


class Configured(eqx.Module):
    weight: jax.Array
    settings: Any = eqx.field(static=True)

    def __call__(self, x):
        return self.weight * x * self.settings.scale


class SettingsLaws(Weighted):
    cls = Settings
    other = {"scale": 3}

    def inputs(self, seed):
        return {**super().inputs(seed), "scale": 2}

    def build(self, weight, scale):
        return Configured(jnp.array(weight), self.cls(scale))


further(
    "P5",
    "static settings that can change",
    Settings,
    FrozenSettings,
    "change",
    base=SettingsLaws,
    survives="a dataclass that has a hash is taken for immutable",
)
further("P6", "static settings that leave a field out of ==", Blind, FrozenSettings, base=SettingsLaws)


@jax.tree_util.register_static
class Grid:
    """An array behind a static node."""

    def __init__(self, points):
        self.points = points

    def __hash__(self):
        return 1

    def __eq__(self, other):
        return isinstance(other, Grid)


class Gridded(eqx.Module):
    weight: jax.Array
    grid: Any

    def __call__(self, x):
        return self.weight * x + jax.lax.stop_gradient(jnp.asarray(self.grid.points, x.dtype))


@jax.tree_util.register_static
@dataclasses.dataclass(frozen=True)
class GridTuple:
    points: tuple[float, ...]


class GridLaws(Weighted):
    def build(self, weight):
        return Gridded(jnp.array(weight), self.cls(self.points))


_title = "an array behind `register_static`"
PAIRS[_title] = Pair(
    _title,
    suite_of(Grid, GridLaws, points=np.arange(3.0)),
    suite_of(GridTuple, GridLaws, points=(0.0, 1.0, 2.0)),
    "P2",
    ("grid",),
)

_NUMBERS = itertools.count()


class Numbered(eqx.Module):
    weight: jax.Array
    name: str = eqx.field(static=True)

    def __init__(self, weight):
        self.weight, self.name = weight, f"layer{next(_NUMBERS)}"

    def __call__(self, x):
        return self.weight * x


class Named(Numbered):
    def __init__(self, weight):
        self.weight, self.name = weight, "layer"


further("P5", "a static name that is new in each instance", Numbered, Named, "treedef")


class SizedByNumPy(eqx.Module):
    weight: jax.Array
    size: int = eqx.field(static=True)

    def __init__(self, weight):
        self.weight, self.size = weight, np.prod(weight.shape)

    def __call__(self, x):
        return self.weight * x / self.size


class SizedByPython(SizedByNumPy):
    def __init__(self, weight):
        self.weight, self.size = weight, weight.size


further("P5", "a size from `np.prod`, which is no int", SizedByNumPy, SizedByPython, "np.int64")


class Members(eqx.Module):
    """Goes through a set, whose order is another one in each process."""

    weight: jax.Array
    names: Any = eqx.field(static=True)

    def __call__(self, x):
        for position, _ in enumerate(self.names):
            x = jnp.sin(self.weight * x + len(_) * position)
        return x


class MemberLaws(Weighted):
    kind: ClassVar[Any] = frozenset

    def build(self, weight):
        return Members(jnp.array(weight), self.kind(("sine", "cosine", "tangent")))


_title = "a loop over a static set of names"
PAIRS[_title] = Pair(
    _title,
    suite_of(frozenset, MemberLaws, kind=frozenset),
    suite_of(tuple, MemberLaws, kind=tuple),
    "P5",
    ("set",),
    survives="a set is immutable and equal by value",
)

_BUILT: list[Any] = []


class Remembered(eqx.Module):
    weight: jax.Array

    def __init__(self, weight):
        self.weight = weight
        _BUILT.append(self)

    def __call__(self, x):
        return self.weight * x


class Forgotten(Remembered):
    def __init__(self, weight):
        self.weight = weight


further("P1", "a list of all instances", Remembered, Forgotten, "_BUILT")


# --- Other methods of a class ---


class Delegating(eqx.Module):
    """Asks its inner module for what it lacks, also while it is being rebuilt."""

    inner: Any

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def __call__(self, x):
        return self.inner(x)


class DelegatingRightly(Delegating):
    def __getattr__(self, name):
        if name.startswith("_") or "inner" not in vars(self):
            raise AttributeError(name)
        return getattr(self.inner, name)


class InnerLaws(Weighted):
    leaves = (Leaf("inner.weight", "param", (3,)),)

    def build(self, weight):
        return self.cls(Named(jnp.array(weight)))


further(
    "P14",
    "a `__getattr__` that never gives up",
    Delegating,
    DelegatingRightly,
    "RecursionError",
    base=InnerLaws,
)


class CloseEnough(eqx.Module):
    weight: jax.Array

    def __eq__(self, other):
        return bool(jnp.allclose(self.weight, other.weight))

    __hash__ = object.__hash__

    def __call__(self, x):
        return self.weight * x


class BySelf(eqx.Module):
    weight: jax.Array

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __call__(self, x):
        return self.weight * x


further("P13", "`__eq__` that is `allclose`", CloseEnough, BySelf)


class Tied(eqx.Module):
    """Its layer is held twice, and after a round trip they are two."""

    first: Any
    second: Any

    def __call__(self, x):
        return self.second(jnp.tanh(self.first(x)))


class TiedTwice(Tied):
    def __init__(self, weight):
        self.first = self.second = Named(weight)


class TiedRightly(eqx.Module):
    first: Any

    def __init__(self, weight):
        self.first = Named(weight)

    def __call__(self, x):
        return self.first(jnp.tanh(self.first(x)))


_title = "one layer held in two fields, which a round trip parts"
PAIRS[_title] = Pair(
    _title,
    suite_of(TiedTwice, leaves=(Leaf("first.weight", "param", (3,)), Leaf("second.weight", "param", (3,)))),
    suite_of(TiedRightly, leaves=(Leaf("first.weight", "param", (3,)),)),
    "P15",
    ("shares its buffer",),
)
