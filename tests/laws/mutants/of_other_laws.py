"""Mistakes that another law is there for, and that these laws notice too; and a few that only they notice."""
# ruff: noqa: RUF012 - suites declare plain dicts, as their users do

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from harness.mutants import GetAttrKey, Node, NodeLaws, mutant, node, rebuild
from harness.pairs import suite_of
from mistakes.calls import calls, results
from mistakes.reported import structure as pitfalls
from mistakes.reported import training as pitfalls_training
from mistakes.reported.right_forms import SavedByPath
from mistakes.structure import nodes
from right.modules import Affine, AffineLaws
from right.specimens import Leaf, Output, sample

from mutants import ownership as mutants_ownership
from mutants import structure as mutants_structure
from mutants.structure import OneWeight

mutant("P1", "under jit the constructor needs values")(pitfalls.DerivedStatic)
mutant("P3", "a round trip adds the attribute")(pitfalls.DefaultNotAssigned)
mutant("P4", "walking the path raised")(suite_of(nodes.ListOfLayers, nodes.LayerLaws))
mutant("P5", "declared as static, but it is a leaf")(mutants_structure.StaticAmongLeaves)
mutant("P5", "a call changed the treedef")(suite_of(calls.Recomputed))
mutant("P9", "its dtype has no gradient")(pitfalls_training.IntegersTrained)
mutant("P12", "draws depend on nothing that it is given")(mutants_ownership.KeyIgnored)
mutant("P13", "replacing it changed the leaves at")(mutants_structure.WrongNames)
mutant("P15", "donation changed the values")(mutants_structure.Doubled)
mutant("P16", "cond, while_loop, scan or checkpoint over the call raised")(suite_of(results.BranchOnArgument))


@mutant("P3", "`inner.__annotations__`", "a round trip adds the attribute")
class DefaultNotAssignedBelow(OneWeight):
    """The place is told where it is, and not where the module lies that holds it."""

    leaves = (Leaf("inner.weight", "param", (3,)), Leaf("inner.scale", "param", ()))

    def build(self, weight):
        return Holder(pitfalls.Unassigned(weight))


class Holder(eqx.Module):
    """A right module, which holds another."""

    inner: eqx.Module

    def __call__(self, x):
        return self.inner(x)


# P1, P2: what a constructor makes of what it is given.


@mutant("P1", "`weight`", "it was given", "arithmetic on `weight`")
class HalvesItsWeight(NodeLaws):
    kept = ("weight",)

    def build(self, weight, bias, scale):
        return self.cls(weight / 2, jnp.array(bias), scale)


class Tabled(eqx.Module):
    """Nobody wrote its constructor."""

    table: dict[str, jax.Array]

    def __call__(self, x):
        return self.table["a"] * x


@mutant("P1", "it is the caller's own dict, given as `table`")
class KeepsTheTable(OneWeight):
    leaves = None

    def inputs(self, seed):
        return {"table": {"a": jnp.array(sample(seed, (3,)))}}

    def build(self, table):
        return Tabled(table)


class AsArray(eqx.Module):
    weight: jax.Array

    def __init__(self, weight):
        self.weight = jnp.asarray(weight)

    def __call__(self, x):
        return self.weight * x


@mutant("P1", "it shares its buffer with the input `weight`")
class KeepsTheBuffer(OneWeight):
    kept = ("weight",)

    def inputs(self, seed):
        return {"weight": jnp.array(sample(seed, (3,)))}

    def build(self, weight):
        return AsArray(weight)


@mutant("P1", "{'scale': 0}", "a check with `<`, not `<=`")
class RefusesTheBound(NodeLaws):
    accepted = ({"scale": 0},)

    def build(self, weight, bias, scale):
        if not scale > 0:
            raise ValueError("scale must be positive")
        return super().build(weight, bias, scale)


@mutant("P2", "`bias`", "declared is 1.0", "another initial or preset value")
class OtherStart(AffineLaws):
    leaves = (Leaf("weight", "param", (3, 2)), Leaf("bias", "param", (3,), value=1.0))


@mutant("P2", "`bias`", "built with dtype bfloat16, it is float32")
class BiasOfOneDtype(AffineLaws):
    takes_dtype = True

    def build(self, **inputs):
        made = Affine.create(**inputs)
        return Affine(made.weight, jnp.zeros(3, jnp.float32))


# P4, P6: what the treedef tells.


@mutant("P4", "with paths the treedef is")
class LessWithPaths(NodeLaws):
    cls = node(with_keys=lambda self: (((GetAttrKey("weight"), self.weight),), (self.scale,)))


@mutant("P6", "a compiled call takes it for an instance of the first configuration")
class ScaleAmongLeaves(mutants_structure.StaticAmongLeaves):
    other = {"scale": 3}


# P7, P9, P12: what a call computes.


class HalfOnTheWay(Node):
    def __call__(self, x):
        return (self.weight * x).astype(jnp.float16).astype(x.dtype) * self.scale + self.bias


@mutant("P7", "it casts float32 to float16")
class CastsDown(NodeLaws):
    cls = node(__call__=HalfOnTheWay.__call__)


@mutant("P7", "the dtype is float16, declared is float")
class HalfOfTheResult(NodeLaws):
    cls = node(__call__=lambda self, x: (self.weight * x * self.scale + self.bias).astype(jnp.float16))


@mutant("P9", "`weight`", "1 of its 3 elements never have a gradient")
class ElementLeftOut(NodeLaws):
    cls = node(__call__=lambda self, x: self.weight.at[-1].set(0) * x * self.scale + self.bias)


def half_of_the_weight(cls, aux, children):
    weight, bias = children
    is_array = isinstance(weight, jax.Array)
    return rebuild(cls, weight=weight.astype(jnp.float16) if is_array else weight, bias=bias, scale=aux[0])


@mutant("P9", "two training steps made", "float16")
class HalfAfterAStep(NodeLaws):
    """Unflatten rounds, so that an instance that was built has another dtype than one that was trained."""

    cls = node(
        unflatten=half_of_the_weight,
        __call__=lambda self, x: self.weight.astype(x.dtype) * x * self.scale + self.bias,
    )


def by_callback(self, x):
    result = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return jax.pure_callback(lambda value: value, result, Node.__call__(self, x), vmap_method="sequential")


@mutant("P9", "a training step raised", "the gradient of the call raised")
class WithoutGradient(NodeLaws):
    cls = node(__call__=by_callback)


@jax.custom_vjp
def product(weight, x):
    return weight * x


product.defvjp(lambda weight, x: (weight * x, x), lambda x, slope: (slope * x,))


@mutant("P9", "at `product`", "the gradient of the call raised")
class RuleOfOneArgument(NodeLaws):
    """The rule gives a slope to the first of two arguments alone."""

    cls = node(__call__=lambda self, x: product(self.weight, x) * self.scale + self.bias)


def shown(self, x):
    print("x", x.shape)
    return Node.__call__(self, x)


def shown_by_jax(self, x):
    jax.debug.print("x {}", x)
    return Node.__call__(self, x)


@mutant("P12", "it printed", "left over from debugging")
class Prints(NodeLaws):
    cls = node(__call__=shown)


@mutant("P12", "the call has side effects")
class PrintsByJax(NodeLaws):
    cls = node(__call__=shown_by_jax)


# P13, P14, P16: objects, files and specs.


@mutant("P13", "two instances with other leaves are equal")
class EqualByClass(NodeLaws):
    cls = node(__eq__=lambda self, other: type(self) is type(other), __hash__=lambda self: 0)


@mutant("P13", "x == y inside jit raised")
class EqualByValues(NodeLaws):
    cls = node(
        __eq__=lambda self, other: type(self) is type(other) and bool((self.weight == other.weight).all()),
        __hash__=lambda self: 0,
    )


@mutant("P13", "an instance is false")
class LengthOfZero(NodeLaws):
    cls = node(__len__=lambda self: 0)


class FillsTheSkeleton(SavedByPath):
    """Fills the skeleton, and gives it back."""

    @classmethod
    def load(cls, path, like):
        loaded = SavedByPath.load.__func__(cls, path, like)
        vars(like).update(vars(loaded))
        return loaded


@mutant("P14", "load changed its skeleton")
class ChangesItsSkeleton(AffineLaws):
    def build(self, **inputs):
        return FillsTheSkeleton.create(**inputs)


class Shifted(eqx.Module):
    weight: jax.Array
    shift: jax.Array
    taught: object = eqx.field(static=True)

    def __call__(self, x):
        return self.weight * x + jax.lax.stop_gradient(self.shift)

    def trainable(self):
        """Takes what was there at the start for what is trained."""
        return Shifted(id(self.weight) == self.taught, False, self.taught)


@mutant("P16", "on a copy it selects []")
class SpecOfTheStart(OneWeight):
    leaves = (Leaf("weight", "param", (3,)), Leaf("shift", "buffer", (3,)))
    returns = (Output((3,)),)

    def build(self, weight):
        weight = jnp.array(weight)
        return Shifted(weight, 2 * weight, id(weight))


_BUILT = []


class Listed(eqx.Module):
    weight: jax.Array

    def __call__(self, x):
        return self.weight * x


@mutant("P15", "using a fresh instance after one was donated raised")
class BesideTheLast(OneWeight):
    """A list of all instances; a call reads the one that was built before."""

    def build(self, weight):
        _BUILT.append(Listed(jnp.array(weight)))
        return _BUILT[-1]

    def call(self, layer, x):
        places = [i for i, one in enumerate(_BUILT) if one is layer]
        return layer(x) + 0 * _BUILT[max(places[0] - 1, 0)].weight if places else layer(x)


# P14: keys in files.


class TwoWordsOfAKey(eqx.Module):
    """Its file has as much of a key as the default implementation needs."""

    weight: jax.Array
    key: jax.Array

    def __call__(self, x):
        return self.weight * jax.random.normal(self.key, x.shape, x.dtype)

    def save(self, path):
        with open(path, "wb") as file:
            np.savez(file, weight=self.weight, key=jax.random.key_data(self.key)[:2])

    @classmethod
    def load(cls, path, skeleton):
        words = np.zeros_like(jax.random.key_data(skeleton.key))
        with np.load(path) as file:
            words[:2] = file["key"]
            key = jax.random.wrap_key_data(words, impl=jax.random.key_impl(skeleton.key))
            return cls(jnp.array(file["weight"]), key)


@mutant("P14", "save and load, of other keys, made")
class KeyLeftOut(OneWeight):
    leaves = (Leaf("weight", "param", (3,)), Leaf("key", "key", (), "key"))

    def inputs(self, seed):
        return {"weight": sample(seed, (3,)), "key": jax.random.key(seed)}

    def build(self, weight, key):
        return TwoWordsOfAKey(jnp.array(weight), jnp.array(key))
