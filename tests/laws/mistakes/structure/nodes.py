"""Mistakes in flatten and unflatten that are in no catalogue, each with the form that is right."""

# ruff: noqa: RUF012 - suites declare plain dicts, as their users do
from typing import NamedTuple

import jax
import jax.numpy as jnp
from harness.mutants import GetAttrKey, NodeLaws, named, node, rebuild
from harness.pairs import Weighted, further
from right.specimens import Leaf, sample


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


class Held:
    """What most of these classes begin with."""

    def __init__(self, weight):
        self.weight = weight

    def __call__(self, x):
        return self.weight * x


class Plain(Weighted):
    """A suite of classes that do not register their subclasses."""

    skips = ("trivial_subclass",)


Right = node()


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


class ListOfLayers(Held):
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


class Base(Held):
    pass


class WithBias(Held):
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


class Converting(Held):
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
    registered(type("Storing", (Held,), {"__module__": __name__}), ("weight",)),
    "object",
    base=Plain,
)


class Asarray(Held):
    """Flatten gives new arrays."""


class StoredAsIs(Held):
    pass


registered(Asarray, ("weight",), with_keys=lambda self: ((GetAttrKey("weight"), jnp.asarray(self.weight)),))
registered(StoredAsIs, ("weight",))
further("P13", "a conversion in flatten", Asarray, StoredAsIs, base=Plain)


class CachedChildren(Held):
    """Flatten keeps what it gave."""


def _kept(self):
    self.__dict__["_children"] = ((GetAttrKey("weight"), self.weight),)
    return self._children


registered(CachedChildren, ("weight",), with_keys=_kept)
further(
    "P3",
    "a flatten that keeps its children",
    CachedChildren,
    StoredAsIs,
    "flatten changed what the instance holds",
    base=Plain,
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
    "P5",
    "children in the order in which they were given",
    ByInsertion,
    ByName,
    "keywords in another order",
    base=KeywordLaws,
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
