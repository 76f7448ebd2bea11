"""Mistakes in static values and methods that are in no catalogue, each with the form that is right."""

# ruff: noqa: RUF012 - suites declare plain dicts, as their users do
import dataclasses
import itertools
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from harness.pairs import FURTHER, Pair, Weighted, further, suite_of
from right.specimens import Leaf


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


further("P5", "static settings that can change", Settings, FrozenSettings, "not frozen", base=SettingsLaws)
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
FURTHER[_title] = Pair(
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
FURTHER[_title] = Pair(
    _title,
    suite_of(frozenset, MemberLaws, kind=frozenset),
    suite_of(tuple, MemberLaws, kind=tuple),
    "P5",
    ("in another order",),
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
FURTHER[_title] = Pair(
    _title,
    suite_of(TiedTwice, leaves=(Leaf("first.weight", "param", (3,)), Leaf("second.weight", "param", (3,)))),
    suite_of(TiedRightly, leaves=(Leaf("first.weight", "param", (3,)),)),
    "P15",
    ("shares its buffer",),
)
