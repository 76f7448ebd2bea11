"""Mutants for P5 to P8: static values, traces, compiled calls."""
# ruff: noqa: RUF012 - suites declare plain dicts, as their users do

import types

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from harness.mutants import Node, NodeLaws, children, mutant, named, node, rebuild
from right.modules import Affine, AffineLaws
from right.specimens import Leaf, Output

from mutants.structure import OneWeight

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


@mutant("P5", "of one configuration have", "new in each")
@mutant("P14", "deepcopy")
class IdentityStatic(WithScale):
    class Config:
        size = 2

    scale = staticmethod(lambda _: IdentityStatic.Config())


@mutant("P5", "hash of a static value")
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


class Named(eqx.Module):
    """Some of its names are legal outside of `jax.jit` alone."""

    weight: jax.Array
    name: str = eqx.field(static=True)

    def __call__(self, x):
        if self.name == "eager" and isinstance(x, jax.core.Tracer):
            raise TypeError("it is not for tracers")
        return self.weight * x


@mutant("P6", "a second instance", "it is not for tracers")
class SecondIsEager(OneWeight):
    static = {"name": ...}

    def build(self, weight):
        is_first = bool((np.asarray(weight) == np.asarray(self.inputs(0)["weight"])).all())
        return Named(jnp.array(weight), "any" if is_first else "eager")
