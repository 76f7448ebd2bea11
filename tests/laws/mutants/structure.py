"""Mutants for P1 to P4: construction, leaves, round trips, key paths."""
# ruff: noqa: RUF012 - suites declare plain dicts, as their users do

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from harness.mutants import GetAttrKey, Node, NodeLaws, children, mutant, named, node, rebuild
from right.modules import Constrained
from right.specimens import Leaf, Output, PytreeLaws, Table, TableLaws, sample

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


@mutant("P2", "`bias`", "declared as param, it is an array and no leaf")
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


@mutant("P2", "scale", "declared in `static`, and a leaf: int 2")
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


class Scaled:
    """Registered with what it is scaled by among its leaves, and not how."""

    def __init__(self, weight, mode="plain"):
        self.weight, self._mode = weight, mode

    def __call__(self, x):
        return self.weight * x


jax.tree_util.register_pytree_with_keys(
    Scaled,
    lambda self: (((GetAttrKey("weight"), self.weight),), None),
    lambda aux, children: Scaled(*children),
)


@mutant("P3", "`_mode`", "before a round trip 'plainx', after 'plain'", "default of the constructor")
class ForgetsItsSetting(OneWeight):
    def build(self, weight):
        return Scaled(jnp.array(weight))


@mutant("P3", "conversion in unflatten")
class ConvertedIfItCan(NodeLaws):
    def convert(cls, aux, c):
        c = [jnp.array(v) if isinstance(v, np.ndarray | jax.Array) else v for v in c]
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
