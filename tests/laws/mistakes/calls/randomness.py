"""Noise, keys and orders: mistakes that one configuration or one process alone does not show."""

import zlib

import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx
from harness.mutants import Node, NodeLaws, rebuild
from harness.nnx_modules import VectorLaws
from harness.pairs import One, Weighted
from right.specimens import Leaf, sample

from mistakes.calls.configurations import GatedLaws, wrong


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


class Thinned(eqx.Module):
    """Drops a share that may be an array, by which nobody takes a gradient."""

    weight: jax.Array
    share: float = 0.3

    def __call__(self, x, *, key):
        kept = 1 - self._stopped()
        return self.weight * jnp.where(jax.random.bernoulli(key, 0.7, x.shape), x / kept, 0)

    def _stopped(self):
        return jax.lax.stop_gradient(self.share)


class PassesOn(Thinned):
    def _stopped(self):
        return self.share


class ThinnedLaws(DroppingLaws):
    leaves = (Leaf("weight", "param", (3,)), Leaf("share", "python", value=0.3, stopped=True))


wrong(
    "a gradient that reaches the share that is dropped",
    "P9",
    PassesOn,
    "`share`",
    "an array in its place has the gradient",
    fixed=Thinned,
    base=ThinnedLaws,
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
        self.rngs = rngs.fork()

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
    skips = ("is_registered_with_keys",)
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
