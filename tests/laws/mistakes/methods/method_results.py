"""Mistakes in methods and properties beside the call, each with the form that is right."""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from harness.pairs import One, Weighted, further
from mutants.structure import OneWeight
from right.specimens import Leaf, Output, sample

from pytree_laws import Method
from pytree_laws.kinds.suite import Suite


class Scaling(One):
    """What the pairs begin with: a map with its inverse, a step and a norm."""

    def __call__(self, x):
        return self.weight * x

    def inverse(self, y):
        return y / self.weight

    def step(self, x):
        return type(self)((0.9 * self.weight + 0.1 * x).astype(self.weight.dtype))

    @property
    def norm(self):
        return jnp.sum(self.weight**2)


def vector(seed):
    return (sample(seed + 5, (3,)),)


INVERSE = Method("inverse", vector, returns=(Output((3,)),))
STEP = Method("step", vector, carry="self")
NORM = Method("norm", returns=(Output(()),))


class MethodLaws(Weighted):
    """A suite that declares the methods of `Scaling`."""

    leaves = (Leaf("weight", "param", (3,)),)
    methods = (INVERSE, STEP, NORM)


def of_methods(law, title, *words, base=MethodLaws, right=Scaling, **body):
    """A pair of `Scaling` with one member that is wrong, and of the right one."""
    wrong = type(
        "Wrong" + "".join(map(str.capitalize, title.split()[:4])), (right,), {"__module__": __name__, **body}
    )
    further(law, title, wrong, right, *words, base=base)


of_methods("P6", "a method that jits a lambda", "compiles `<lambda>` anew",
    inverse=lambda self, y: jax.jit(lambda w: y / w)(self.weight))  # fmt: skip


class Indexed(Scaling):
    """Knows the place of its greatest weight, and how far a vector is from it."""

    def greatest(self):
        return jnp.argmax(self.weight).astype(jnp.int32)

    def distance(self, x):
        square = jnp.sum((self.weight * x) ** 2)
        return jnp.where(square > 0, jnp.sqrt(jnp.where(square > 0, square, 1)), 0)


class IndexedLaws(MethodLaws):
    methods = (
        Method("greatest", returns=(Output((), "int32"),)),
        Method("distance", vector, returns=(Output(()),)),
    )


of_methods("P7", "an index of the width that jax gives it", "greatest, output 0", "where jax has 64 bits it is int64",
    base=IndexedLaws, right=Indexed, greatest=lambda self: jnp.argmax(self.weight))  # fmt: skip
of_methods("P9", "a distance whose gradient is NaN at zero", "at `distance`", "at arguments of zeros its result is finite",
    base=IndexedLaws, right=Indexed, distance=lambda self, x: jnp.sqrt(jnp.sum((self.weight * x) ** 2)))  # fmt: skip
of_methods("P6", "a call that jits a bound method", "compiles", "`jax.jit` of a lambda",
    __call__=lambda self, x: jax.jit(functools.partial(Scaling.__call__, self))(x))  # fmt: skip
of_methods("P7", "a property that always raises", "`norm`", "it raised AttributeError",
    norm=property(lambda self: self.weights))  # fmt: skip
of_methods("P7", "a property that nobody declared and that always raises", "`size`", "it raised",
    size=property(lambda self: self.weights.size))  # fmt: skip
of_methods("P7", "a method that gives one result too many", "it gives 2 leaves, declared are 1",
    inverse=lambda self, y: (y / self.weight, y))  # fmt: skip
of_methods("P7", "a method whose result has another shape", "`inverse, output 0`", "the shape is (1, 3)",
    inverse=lambda self, y: (y / self.weight)[None])  # fmt: skip
of_methods("P7", "a method whose result has another dtype", "`inverse, output 0`", "the dtype is bfloat16",
    inverse=lambda self, y: (y / self.weight).astype(jnp.bfloat16))  # fmt: skip
of_methods("P7", "a method that branches on values", "`inverse`", "under jax.jit it raised",
    inverse=lambda self, y: y / self.weight if y[0] > -9 else y)  # fmt: skip


def _by_mode(self, y):
    inside = isinstance(self.weight, jax.core.Tracer)
    return y / self.weight + (1 if inside else 0)


of_methods("P7", "a method that is another one under jit", "`inverse`", "jit gives", inverse=_by_mode)


def _third_trace(self, y):
    _third_trace.uses += 1
    if isinstance(self.weight, jax.core.Tracer) and _third_trace.uses > 3:
        raise RuntimeError("no more")
    return y / self.weight


_third_trace.uses = 0
of_methods(
    "P7", "a method that fails when it is traced again", "one of these under jax.jit", inverse=_third_trace
)


class PreciseLaws(MethodLaws):
    methods = (INVERSE, NORM)
    dtypes = ("bfloat16",)

    def build(self, weight, dtype=None):
        return self.cls(jnp.array(weight, dtype))


of_methods("P7", "a method with a table of float32", "`inverse, output 0`", "in bfloat16 it is float32",
    base=PreciseLaws, inverse=lambda self, y: y / self.weight * np.ones(3, "float32"))  # fmt: skip


def _refuses(self, y):
    if y.dtype == jnp.bfloat16:
        raise TypeError("no such dtype")
    return y / self.weight


of_methods(
    "P7",
    "a method that refuses a dtype",
    "in bfloat16 it raised TypeError",
    base=PreciseLaws,
    inverse=_refuses,
)


class Optional(eqx.Module):
    """A map with a shift that may be absent."""

    weight: jax.Array
    shift: jax.Array | None

    def __call__(self, x):
        return self.weight * x + (0 if self.shift is None else self.shift)

    @property
    def ends(self):
        return self.weight if self.shift is None else self.weight + self.shift


class OptionalLaws(OneWeight):
    leaves = (Leaf("weight", "param", (3,)), Leaf("shift", "param", (3,)))
    absent = ({"shift": None},)
    methods = (Method("ends", returns=(Output((3,)),)),)

    def inputs(self, seed):
        return {"weight": sample(seed, (3,)), "shift": sample(seed + 9, (3,))}

    def build(self, weight, shift):
        return self.cls(jnp.array(weight), None if shift is None else jnp.array(shift))


of_methods("P7", "a property that needs what is optional", "`ends`", "with {'shift': None} it raised",
    base=OptionalLaws, right=Optional, ends=property(lambda self: self.weight + self.shift))  # fmt: skip
of_methods("P9", "an inverse that cuts its parameter off", "`inverse`", "its gradient is 0", "stop_gradient",
    inverse=lambda self, y: y / jax.lax.stop_gradient(self.weight))  # fmt: skip
of_methods("P9", "a norm whose gradient is NaN", "`norm`", "has NaN",
    norm=property(lambda self: jnp.sum(jnp.where(self.weight > 9, jnp.sqrt(self.weight - 9), self.weight))))  # fmt: skip


@jax.custom_vjp
def _forward_alone(w):
    return w


def _fails(_, slope):
    raise RuntimeError("no rule")


_forward_alone.defvjp(lambda w: (w, None), _fails)


@jax.custom_jvp
def _square(w):
    return w**2


_square.defjvp(lambda w, t: (w[0] ** 2, w[0] * t[0]))
of_methods("P9", "a norm with a rule that fails", "the gradient of one of these raised RuntimeError",
    norm=property(lambda self: jnp.sum(_forward_alone(self.weight))))  # fmt: skip
of_methods("P9", "a norm with a wrong rule", "`norm`", "the rule of `_square`",
    norm=property(lambda self: jnp.sum(_square(self.weight))))  # fmt: skip


class Uncalled(eqx.Module):
    """A class that has methods and no call."""

    weight: jax.Array
    shift: jax.Array

    def scaled(self, x):
        return self.weight * x + self.shift


class UncalledLaws(OptionalLaws):
    absent = ()
    methods = (Method("scaled", vector, returns=(Output((3,)),)),)
    arguments = Suite.arguments
    call = Suite.call


class Dead(Uncalled):
    def scaled(self, x):
        return self.weight * x


further(
    "P9",
    "a parameter that no method uses",
    Dead,
    Uncalled,
    "`shift`",
    "no method has a gradient",
    base=UncalledLaws,
)
of_methods("P11", "a step that gives the instance back", "`step`", "the next instance is the one before",
    step=lambda self, x: self)  # fmt: skip
of_methods("P11", "a step that drops an axis", "`step`", "it was",
    step=lambda self, x: type(self)(self.weight[:2] + x[:2]))  # fmt: skip
of_methods("P11", "a step that gives a tuple of arrays", "`step`", "another structure",
    step=lambda self, x: (self.weight + x,))  # fmt: skip


def _needs_values(self, x):
    return type(self)(self.weight + x) if x[0] > -9 else self


of_methods("P11", "a step that branches on values", "`step`", "to carry the instance raised",
    step=lambda self, x: type(self)(self.weight + x) if self.weight[0] > -9 else self)  # fmt: skip


def _loops(self, x):
    inside = isinstance(self.weight, jax.core.Tracer)
    return type(self)(self.weight + x + (1 if inside else 0))


of_methods("P11", "a step that scan tells from a loop", "`step`", "scan gives", step=_loops)


class Plain:
    """A plain class, which can keep what it should not."""

    def __init__(self, weight):
        self.weight = weight

    def __call__(self, x):
        return self.weight * x

    def inverse(self, y):
        return y / self.weight

    @property
    def norm(self):
        return jnp.sum(self.weight**2)


jax.tree_util.register_pytree_with_keys(
    Plain,
    lambda one: (((jax.tree_util.GetAttrKey("weight"), one.weight),), ()),
    lambda _, children: _stored(Plain, children[0]),
)


def _stored(cls, weight):
    one = object.__new__(cls)
    one.weight = weight
    return one


class PlainLaws(MethodLaws):
    methods = (INVERSE, NORM)
    skips = ("trivial_subclass",)


def kept_as(name):
    def inverse(self, y):
        object.__setattr__(self, name, y / self.weight)
        return getattr(self, name)

    return inverse


def registered(cls):
    jax.tree_util.register_pytree_with_keys(
        cls,
        lambda one: (((jax.tree_util.GetAttrKey("weight"), one.weight),), ()),
        lambda _, children: _stored(cls, children[0]),
    )
    return cls


class Returns(Scaling):
    """Sums what is given, and a last value, with weights."""

    def inverse(self, y):
        return y / self.weight

    def total(self, rewards, last):
        return jax.lax.scan(lambda total, reward: (reward + 0.9 * total, None), last, self.weight * rewards)[
            0
        ]

    def error(self, x, target):
        return jnp.sum((self.weight * x - jax.lax.stop_gradient(target)) ** 2)


class ReturnsLaws(MethodLaws):
    methods = (
        Method("total", lambda seed: (sample(seed + 5, (3,)), sample(seed + 6, ())), returns=(Output(()),)),
        Method("error", lambda seed: (sample(seed, (3,)), sample(seed + 6, (3,))), stopped=(1,)),
    )


of_methods("P9", "a sum whose last value is cut off", "`total`", "depends on argument 1, and no gradient reaches that",
    base=ReturnsLaws, right=Returns, total=lambda self, rewards, last: Returns.total(self, rewards, jax.lax.stop_gradient(last)))  # fmt: skip
of_methods("P9", "an error that cuts off what it is given", "`error`", "depends on argument 0",
    base=ReturnsLaws, right=Returns, error=lambda self, x, target: jnp.sum((self.weight * jax.lax.stop_gradient(x) - target) ** 2))  # fmt: skip


class TowardsLaws(ReturnsLaws):
    methods = (Method("error", lambda seed: (sample(seed, (3,)), sample(seed + 6, (3,))), closed=(1,)),)


of_methods("P9", "a target that gradients reach", "`error`", "a gradient reaches argument 1, which it reads behind",
    base=TowardsLaws, right=Returns, error=lambda self, x, target: jnp.sum((self.weight * x - target) ** 2))  # fmt: skip
