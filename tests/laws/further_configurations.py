"""Mistakes in configurations that the example does not take, each with the form that is right."""

import zlib
from typing import Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from good_specimens import Leaf, Output, sample
from jax.typing import ArrayLike
from mutant_base import Node, NodeLaws, rebuild
from nnx_base import VectorLaws
from pairs import One, Weighted, further


class Flagged(eqx.Module):
    """Built with flags and parts that the example leaves as they are."""

    weight: jax.Array
    bias: jax.Array | None
    norm: str = eqx.field(static=True)

    def __init__(self, weight, use_bias: bool = True, norm: Literal["none", "mean"] = "none"):
        self.weight = jnp.array(weight)
        self.bias = jnp.ones_like(self.weight) if use_bias else None
        self.norm = norm

    def __call__(self, x, scale: bool = False):
        y = self.weight * x
        if self.bias is not None:
            y = y + self.bias
        return 2 * y if scale else y


class FlaggedLaws(Weighted):
    leaves = (Leaf("weight", "param", (3,)), Leaf("bias", "param", (3,), value=1))

    def build(self, weight):
        return self.cls(weight)


def wrong(title, law, cls, *words, fixed=Flagged, base=FlaggedLaws, **declared):
    further(law, title, cls, fixed, *words, base=base, **declared)


class BreaksWithout(Flagged):
    def __init__(self, weight, use_bias: bool = True, norm: Literal["none", "mean"] = "none"):
        self.weight = jnp.array(weight)
        self.bias = jnp.ones_like(self.weight) if use_bias else -self.bias
        self.norm = norm


wrong("a flag at which the constructor fails", "P1", BreaksWithout, "`use_bias=False`")


class RefusesWithout(Flagged):
    """Says itself that it cannot be, which is no mistake."""

    def __init__(self, weight, use_bias: bool = True, norm: Literal["none", "mean"] = "none"):
        if not use_bias:
            raise ValueError("the bias is not optional")
        super().__init__(weight, use_bias, norm)


class AddsNothing(Flagged):
    def __call__(self, x, scale: bool = False):
        return self.weight * x + self.bias


wrong(
    "a bias that is added where there is none",
    "P7",
    AddsNothing,
    "`use_bias=False`: the call raised",
    fixed=RefusesWithout,
)


class MisspelledNorm(Flagged):
    def __call__(self, x, scale: bool = False):
        y = super().__call__(x, scale)
        return y - y.meen() if self.norm == "mean" else y


class Normed(Flagged):
    def __call__(self, x, scale: bool = False):
        y = super().__call__(x, scale)
        return y - y.mean() if self.norm == "mean" else y


wrong("a value of a Literal that nobody tried", "P7", MisspelledNorm, "norm='mean'", fixed=Normed)


class ScalesInOneDtype(Flagged):
    def __call__(self, x, scale: bool = False):
        y = super().__call__(x)
        return (2 * y if scale else y).astype(jnp.bfloat16)


class WideScaled(ScalesInOneDtype):
    def __call__(self, x, scale: bool = False):
        y = super().__call__(x)
        return y * np.float32(2) if scale else y


wrong(
    "another dtype at a flag of the call",
    "P7",
    WideScaled,
    "it is float32, and bfloat16 in the example",
    fixed=ScalesInOneDtype,
    returns=(Output((3,), "bfloat16"),),
    strict=False,
)


class BranchesOnTracer(Flagged):
    def __call__(self, x, scale: bool = False):
        y = super().__call__(x)
        return y + isinstance(x, jax.core.Tracer) if scale else y


wrong("a flag at which jit computes something else", "P7", BranchesOnTracer, "traced it gives")


class RootOfNothing(Flagged):
    def __call__(self, x, scale: bool = False):
        y = super().__call__(x)
        return jnp.log(y - y) * 0 if scale else y


wrong("NaN at a flag", "P7", RootOfNothing, "it gives NaN")


class ByOthers(One):
    def __call__(self, x):
        return self.weight * x * (1 / (len(x) - 1))


class ByAll(One):
    def __call__(self, x):
        return self.weight * x * (1 / len(x))


wrong("a division by a size less one", "P7", ByOthers, "ZeroDivisionError", fixed=ByAll, base=Weighted)


class Unlearnt(Flagged):
    def __call__(self, x, scale: bool = False):
        weight = self.weight if self.bias is not None else jax.lax.stop_gradient(self.weight)
        return weight * x + (0 if self.bias is None else self.bias)


wrong("a gradient that a flag cuts off", "P9", Unlearnt, "`weight with use_bias=False`")


class Gated(eqx.Module):
    """Builds a gate where it is asked for."""

    weight: jax.Array
    gate: jax.Array | None

    def __init__(self, weight, use_gate: bool = False):
        self.weight = jnp.array(weight)
        self.gate = jnp.ones_like(self.weight) if use_gate else None

    def __call__(self, x):
        return self.weight * x * (1 if self.gate is None else self.gate)


class UnusedGate(Gated):
    def __call__(self, x):
        return self.weight * x


class GatedLaws(FlaggedLaws):
    leaves = (Leaf("weight", "param", (3,)),)


wrong(
    "an optional part without a use",
    "P9",
    UnusedGate,
    "`gate with use_gate=True`",
    fixed=Gated,
    base=GatedLaws,
)


class Numbers(One):
    """Takes whatever is like an array."""

    def __call__(self, x: jax.Array, gain: ArrayLike):
        return self.weight * x * jnp.asarray(gain, x.dtype)


class NumbersOfJax(Numbers):
    def __call__(self, x: jax.Array, gain: ArrayLike):
        return self.weight * x * gain.astype(x.dtype)


class NumbersLaws(Weighted):
    def arguments(self, seed):
        return sample(seed, (3,)), sample(seed)


wrong(
    "a Python number where it is annotated",
    "P7",
    NumbersOfJax,
    "has no attribute 'astype'",
    fixed=Numbers,
    base=NumbersLaws,
)


class Dropping(One):
    """Sets some to zero where it trains."""

    inference: bool = False

    def __call__(self, x, *, key: jax.Array | None = None, inference: bool | None = None):
        if self.inference if inference is None else inference:
            return self.weight * x
        if key is None:
            raise ValueError("give a key in training")
        return self.weight * x * jax.random.bernoulli(key, 0.5, x.shape)


class DroppingLaws(Weighted):
    leaves = (Leaf("weight", "param", (3,)), Leaf("inference", "python"))

    def arguments(self, seed):
        return sample(seed, (3,)), jax.random.key(seed)

    def call(self, instance, x, key):
        return instance(x, key=key)


class DropsAnyhow(Dropping):
    def __call__(self, x, *, key: jax.Array | None = None, inference: bool | None = None):
        return self.weight * x * jax.random.bernoulli(key, 0.5, x.shape)


wrong(
    "dropout at inference", "P16", DropsAnyhow, "nothing is random there", fixed=Dropping, base=DroppingLaws
)


class DefaultNoise(Dropping):
    def __call__(self, x, *, key: jax.Array | None = None, inference: bool | None = None):
        if inference:
            return self.weight * x
        key = jax.random.key(0) if key is None else key
        return self.weight * x * jax.random.bernoulli(key, 0.5, x.shape)


wrong(
    "a constant key where none is given",
    "P12",
    DefaultNoise,
    "depend on nothing",
    fixed=Dropping,
    base=DroppingLaws,
)


class HeldNoise(eqx.Module):
    """Draws from a key that it holds where a flag says so."""

    weight: jax.Array
    seed: jax.Array

    def __call__(self, x, key: jax.Array, fast: bool = False):
        noise = jax.random.normal(self.seed if fast else key, x.shape, x.dtype)
        return self.weight * x + noise


class GivenNoise(HeldNoise):
    def __call__(self, x, key: jax.Array, fast: bool = False):
        shape = x.shape[:1] if fast else x.shape
        return self.weight * x + jax.random.normal(key, shape, x.dtype)


class HeldNoiseLaws(Weighted):
    leaves = (Leaf("weight", "param", (3,)), Leaf("seed", "key", (), unused=True))

    def build(self, weight):
        return self.cls(jnp.array(weight), jax.random.key(3))

    def arguments(self, seed):
        return sample(seed, (3,)), jax.random.key(seed)


wrong(
    "a key that is held, at a flag",
    "P12",
    HeldNoise,
    "none of its 1 draws uses it",
    fixed=GivenNoise,
    base=HeldNoiseLaws,
)


class HashedScale(One):
    def __call__(self, x):
        return self.weight * x * (hash("scale") % 2**16)


class CountedScale(One):
    def __call__(self, x):
        return self.weight * x * (zlib.crc32(b"scale") % 2**16)


wrong(
    "a number from `hash` of a name in the call",
    "P12",
    HashedScale,
    "`hash` of a text",
    fixed=CountedScale,
    base=Weighted,
)


class NoisyModule(nnx.Module):
    """Drops where nothing says that it is deterministic, and adds a bias where there is one."""

    def __init__(self, use_bias: bool = True, *, rngs: nnx.Rngs):
        self.scale = nnx.Param(jax.random.normal(rngs.params(), (3,), jnp.float32))
        self.bias = nnx.Param(jnp.ones(3, jnp.float32)) if use_bias else None
        self.rngs = rngs

    def __call__(self, x, deterministic: bool = False):
        y = self.scale[...] * x
        y = y if self.bias is None else y + self.bias[...]
        if deterministic:
            return y
        return y * jax.random.bernoulli(self.rngs.dropout(), 0.5, x.shape)


class NoisyModuleLaws(VectorLaws):
    variables = None

    def inputs(self, seed):
        return {"rngs": nnx.Rngs(seed)}

    def build(self, **inputs):
        return self.cls(**inputs)

    def arguments(self, seed):
        return (sample(seed, (3,)),)


class DropsAlways(NoisyModule):
    def __call__(self, x, deterministic: bool = False):
        return super().__call__(x)


class NeedsBias(NoisyModule):
    def __call__(self, x, deterministic: bool = False):
        return super().__call__(x, deterministic) + 0 * self.bias[...]


wrong(
    "NNX: dropout where a flag says that there is none",
    "P16",
    DropsAlways,
    "nothing is random there",
    fixed=NoisyModule,
    base=NoisyModuleLaws,
)
wrong(
    "NNX: a bias that is read where there is none",
    "P7",
    NeedsBias,
    "`use_bias=False`: the call raised",
    fixed=NoisyModule,
    base=NoisyModuleLaws,
)


class ByAttributes(Node):
    """Flattened in the order in which its attributes were stored."""


class ByName(Node):
    """Flattened in the order of the names of its attributes."""


def flat(order):
    def flatten(self):
        names = tuple(order(self.__dict__))
        return [self.__dict__[name] for name in names], names

    return flatten


def unflat(cls):
    def unflatten(names, children):
        return rebuild(cls, **dict(zip(names, children, strict=True)))

    return unflatten


jax.tree_util.register_pytree_node(ByAttributes, flat(list), unflat(ByAttributes))
jax.tree_util.register_pytree_node(ByName, flat(sorted), unflat(ByName))


class StoredLaws(NodeLaws):
    leaves = None
    static = {}  # noqa: RUF012 - suites declare plain dicts, as their users do

    def build(self, weight, bias, scale):
        return self.cls(jnp.array(weight), jnp.array(bias), jnp.float32(scale))


wrong(
    "a flatten in the order in which attributes were stored",
    "P5",
    ByAttributes,
    "stored in another order",
    fixed=ByName,
    base=StoredLaws,
)


class Widened(eqx.Module):
    """A gate that has a dtype of its own."""

    weight: jax.Array
    gate: jax.Array | None

    def __init__(self, weight, use_gate: bool = False, dtype=None):
        dtype = jnp.float32 if dtype is None else dtype
        self.weight = jnp.array(weight, dtype)
        self.gate = jnp.ones(3) if use_gate else None

    def __call__(self, x):
        return self.weight * x * (1 if self.gate is None else self.gate)


class Followed(Widened):
    def __init__(self, weight, use_gate: bool = False, dtype=None):
        super().__init__(weight, use_gate, dtype)
        self.gate = jnp.ones(3, self.weight.dtype) if use_gate else None


wrong(
    "an optional part that is not given the dtype",
    "P2",
    Widened,
    "`gate with use_gate=True`",
    fixed=Followed,
    base=GatedLaws,
    takes_dtype=True,
    build=lambda self, **inputs: self.cls(**inputs),
)
