"""What the mutants share: their register, and a class to be registered rightly or wrongly."""
# ruff: noqa: RUF012 - suites declare plain dicts, as their users do

import functools

import jax
import jax.numpy as jnp
from right.specimens import Leaf, Output, PytreeLaws, sample

from harness.runner import register

GetAttrKey = jax.tree_util.GetAttrKey
MUTANTS = []
mutant = register(MUTANTS)


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
