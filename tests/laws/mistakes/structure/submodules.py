"""Mistakes below sub-modules, which show in their leaves, and static fields that nobody declared."""

# ruff: noqa: RUF012 - suites declare plain dicts, as their users do
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx
from harness.pairs import further
from right.specimens import Leaf, Output, PytreeLaws, sample

from pytree_laws.nnx import NnxLaws, Var


class Layer(eqx.Module):
    weight: jax.Array

    def __init__(self, dtype, key):
        self.weight = jax.random.normal(key, (3, 3), dtype)

    def __call__(self, x):
        return jnp.tanh(self.weight @ x)


class Layers(eqx.Module):
    first: Layer
    second: Layer

    def __init__(self, dtype, key):
        keys = jax.random.split(key)
        self.first, self.second = (Layer(dtype, one) for one in keys)


class Net(eqx.Module):
    """Two layers below one sub-module."""

    layers: Layers
    depth: int = eqx.field(static=True)

    def __init__(self, dtype=jnp.float32, *, key):
        self.layers, self.depth = Layers(dtype, key), 2

    def __call__(self, x):
        return self.layers.second(self.layers.first(x))


class NeverUsed(Net):
    def __call__(self, x):
        return self.layers.first(x)


class HalfTrained(Net):
    """Its first layer is kept as it is by `stop_gradient` alone."""

    def __call__(self, x):
        return self.layers.second(jax.lax.stop_gradient(self.layers.first)(x))


class WithoutItsDtype(Net):
    def __init__(self, dtype=jnp.float32, *, key):
        super().__init__(dtype, key=key)
        self.layers = Layers(jnp.float32, key)


class Undeclared(Net):
    scale: float = eqx.field(static=True)

    def __init__(self, dtype=jnp.float32, *, key):
        super().__init__(dtype, key=key)
        self.scale = 0.5


class NetLaws(PytreeLaws):
    leaves = (Leaf("layers", "module"),)
    static = {"depth": ...}
    returns = (Output((3,)),)
    takes_dtype = True
    cls: Any = None

    def inputs(self, seed):
        return {"key": jax.random.key(seed)}

    def build(self, **inputs):
        return self.cls(**inputs)

    def arguments(self, seed):
        return (sample(seed, (3,)),)


further(
    *("P9", "A layer below a sub-module that the call does not use", NeverUsed, Net),
    *("at `layers.second.weight`: a leaf of a sub-module never has a gradient", "built and never used"),
    base=NetLaws,
)
further(
    *("P9", "A layer that is kept by `stop_gradient`, and that weight decay moves", HalfTrained, Net),
    *("at `layers.first.weight`: a leaf of a sub-module never has a gradient", "`stop_gradient` cuts it off"),
    base=NetLaws,
)
further(
    *("P2", "A sub-module that is not given the dtype", WithoutItsDtype, Net),
    *("at `layers.first.weight`: built with dtype bfloat16, it is float32", "not given it"),
    base=NetLaws,
)
further(
    *("P5", "A static field that nobody declared", Undeclared, Net),
    *("at `scale`: a static value that is not declared: 0.5", '"depth": 2,', '"scale": 0.5,'),
    base=NetLaws,
)


class Pair(nnx.Module):
    def __init__(self, dtype, rngs):
        self.first = nnx.Linear(3, 3, param_dtype=dtype, rngs=rngs)
        self.second = nnx.Linear(3, 3, param_dtype=dtype, rngs=rngs)

    def __call__(self, x):
        return self.second(jnp.tanh(self.first(x)))


class Block(nnx.Module):
    """Two layers of Flax below one sub-module."""

    def __init__(self, dtype=jnp.float32, *, rngs):
        self.pair, self.depth = Pair(dtype, rngs), 2

    def __call__(self, x):
        return self.pair(x)


class BlockOfOne(Block):
    def __call__(self, x):
        return self.pair.first(x)


class BlockWithoutItsDtype(Block):
    def __init__(self, dtype=jnp.float32, *, rngs):
        self.pair, self.depth = Pair(jnp.float32, rngs), 2


class BlockWithAScale(Block):
    def __init__(self, dtype=jnp.float32, *, rngs):
        super().__init__(dtype, rngs=rngs)
        self.scale = 0.5


class BlockLaws(NnxLaws):
    variables = (Var("pair", nnx.Module),)
    static = {"depth": ...}
    takes_dtype = True
    cls: Any = None

    def build(self, **inputs):
        return self.cls(**inputs)

    def arguments(self, seed):
        return (sample(seed, (3,)),)


further(
    *("P9", "NNX: a layer below a sub-module that the call does not use", BlockOfOne, Block),
    *("of a sub-module never has a gradient", "pair.second"),
    base=BlockLaws,
)
further(
    *("P2", "NNX: a sub-module that is not given the dtype", BlockWithoutItsDtype, Block),
    *("pair.first.bias", "built with dtype bfloat16, it is float32"),
    base=BlockLaws,
)
further(
    *("P5", "NNX: an attribute that nobody declared", BlockWithAScale, Block),
    *("at `scale`: a static value that is not declared: 0.5",),
    base=BlockLaws,
)


# A static value that was computed from a size, and leaves of another size.


class Scaled(eqx.Module):
    """Divides by the root of its width, as its weight has it."""

    weight: jax.Array
    twice: int = eqx.field(static=True)

    def __init__(self, width, key):
        self.weight, self.twice = jax.random.normal(key, (width,)), 2 * width

    def __call__(self, x):
        return self.weight * x / jnp.sqrt(jnp.asarray(self.weight.shape[0], x.dtype))


class ScaledByAField(Scaled):
    def __call__(self, x):
        return self.weight * x / jnp.sqrt(jnp.asarray(self.twice / 2, x.dtype))


class ScaledLaws(PytreeLaws):
    leaves = (Leaf("weight", "param", (3,)),)
    static = {"twice": 6}
    other = {"width": 5}
    cls: Any = None

    def inputs(self, seed):
        return {"width": 3, "key": jax.random.key(seed)}

    def build(self, **inputs):
        return self.cls(**inputs)

    def arguments(self, seed):
        return (sample(seed, (3,)),)


further(
    *("P8", "A static size beside a leaf of another size", ScaledByAField, Scaled),
    *("at `twice`: with leaves of another size the call gives", "take it from the array in the call"),
    base=ScaledLaws,
)
