"""Further NNX modules with one mistake each: what a constructor makes when it is traced, settings, states and carries."""

import dataclasses
import functools
import itertools

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from harness.nnx_modules import Linear, LinearLaws, SizedLaws, Var, VectorLaws, mutant, sample
from jax.core import Tracer
from right.specimens import Output

# P1, P10: a constructor that is traced.


@mutant("P1", "built under jit its Variables are", "otherwise")
@mutant("P10", "vmap gives float32[", "a loop")
class LongerWithValues(LinearLaws):
    class cls(Linear):
        def __init__(self, size, scale=2.0, *, rngs):
            super().__init__(size, scale, rngs=rngs)
            if not isinstance(self.weight.get_value(), Tracer):
                self.mean = nnx.BatchStat(jnp.zeros((1, size), jnp.float32))


def by_numpy(key, shape):
    """Values of NumPy in the place of a draw, without a rule for vmap."""
    result = jax.ShapeDtypeStruct(shape, jnp.float32)
    return jax.pure_callback(
        lambda k: np.full(shape, k[-1] + 1, np.float32), result, jax.random.key_data(key)
    )


@mutant("P10", "the constructor under vmap raised")
class DrawsByCallback(LinearLaws):
    class cls(Linear):
        def draw(self, key, shape):
            return by_numpy(key, shape)


@mutant("P10", "`weight`", "vmap gives", "a loop")
class DrawsByNumPyWhereItCan(LinearLaws):
    class cls(Linear):
        def draw(self, key, shape):
            try:
                rng = np.random.default_rng(np.asarray(jax.random.key_data(key)))
            except jax.errors.TracerArrayConversionError:
                return super().draw(key, shape)
            return jnp.asarray(rng.standard_normal(shape), jnp.float32)


# P2: the state.


@mutant("P2", "`seen`", "a Variable that is not declared: BatchStat")
class OneMore(LinearLaws):
    class cls(Linear):
        def __init__(self, size, scale=2.0, *, rngs):
            super().__init__(size, scale, rngs=rngs)
            self.seen = nnx.BatchStat(jnp.zeros((size,), jnp.float32))


@mutant("P2", "`bias`", "it must be a jax.Array")
class NumberInAVariable(LinearLaws):
    class cls(Linear):
        def __init__(self, size, scale=2.0, *, rngs):
            super().__init__(size, scale, rngs=rngs)
            self.bias = nnx.Param(0.0)


class Trained(nnx.Param):
    """What an optimiser moves, by another name."""


@mutant("P2", "`mean`", "Trained is an `nnx.Param`, which an optimiser moves")
class TrainsItsMean(LinearLaws):
    variables = (*LinearLaws.variables[:2], Var("mean", Trained, (3,), value=0.0, flows=True))

    class cls(Linear):
        def __init__(self, size, scale=2.0, *, rngs):
            super().__init__(size, scale, rngs=rngs)
            self.mean = Trained(jnp.zeros((size,), jnp.float32))


@mutant("P2", "`bias`", "the shape is (1,), declared is (3,)")
class OneBiasForAll(LinearLaws):
    class cls(Linear):
        def __init__(self, size, scale=2.0, *, rngs):
            super().__init__(size, scale, rngs=rngs)
            self.bias = nnx.Param(jnp.zeros((1,), jnp.float32))


# P5, P6: settings.


@dataclasses.dataclass(frozen=True, eq=False)
class Unhashable:
    rate: float = 0.5

    def __eq__(self, other):
        return isinstance(other, Unhashable) and self.rate == other.rate


@mutant("P5", "options", "hash of a static value raised TypeError")
class EqualWithoutHash(LinearLaws):
    class cls(Linear):
        def __init__(self, size, scale=2.0, *, rngs):
            super().__init__(size, scale, rngs=rngs)
            self.options = Unhashable()


_NUMBERS = itertools.count()


@mutant("P5", "two modules of one configuration have graph definitions")
class NumberedVariables(LinearLaws):
    class cls(Linear):
        def __init__(self, size, scale=2.0, *, rngs):
            super().__init__(size, scale, rngs=rngs)
            self.bias = nnx.Param(jnp.zeros((size,), jnp.float32), number=next(_NUMBERS))


class OfTheClass(Linear):
    """Keeps its scale on the class."""

    _scale = 2.0

    @property
    def scale(self):
        return self._scale

    @scale.setter
    def scale(self, value):
        type(self)._scale = value


@mutant("P5", "`scale`", "the graph definition does not depend on this static value")
@mutant("P6", "neither its graph definition nor its Variables tell it from the first configuration")
class SettingOfTheClass(LinearLaws):
    cls = OfTheClass
    other = {"scale": 3.0}  # noqa: RUF012


@mutant("P6", "compiled it gives")
class NoiseInTheOtherMode(LinearLaws):
    other = {"scale": 3.0}  # noqa: RUF012

    class cls(Linear):
        def affine(self, x):
            noise = np.random.default_rng().standard_normal(3) if self.scale > 2 else np.zeros(3)
            return super().affine(x) + jnp.asarray(noise, x.dtype)


# P7, P12: states that follow no rule.


class NumPyNoise(Linear):
    """Adds noise of NumPy to what it remembers."""

    def __call__(self, x):
        result = super().__call__(x)
        self.mean[...] += jnp.asarray(np.random.default_rng().standard_normal(3), x.dtype)
        return result


@mutant("P7", "`mean`", "after nnx.jit it is", "after an eager call")
@mutant("P12", "the same call gave")
class NoiseInTheState(LinearLaws):
    cls = NumPyNoise


@functools.cache
def ones(size):
    """Made under jit, they are a tracer, which is then kept."""
    return jnp.ones(size, jnp.float32)


@mutant("P12", "the eager call after one under jit raised UnexpectedTracerError")
class CachedTable(LinearLaws):
    class cls(Linear):
        def affine(self, x):
            return super().affine(x) * ones(3)


# P9


@mutant("P9", "`bias`", "the gradient is not finite")
class RootOfZero(LinearLaws):
    class cls(Linear):
        def affine(self, x):
            return super().affine(x) + jnp.sqrt(self.bias[...])


@mutant("P9", "`mean`", "declared as buffer, a training step moved it")
class UpdatesUndeclared(LinearLaws):
    updates = ()


# P11


class CarryLaws(SizedLaws):
    variables = (Var("weight", nnx.Param, (3, 3), std=1.0),)
    returns = ()
    carry = 0

    def arguments(self, seed):
        return {"h": sample(seed, (3,))}, sample(seed + 1, (3,))


class Cell(nnx.Module):
    def __init__(self, size, *, rngs):
        self.weight = nnx.Param(jax.random.normal(rngs.params(), (size, size), jnp.float32))

    def __call__(self, carry, x):
        h = jnp.tanh(self.weight[...] @ x + carry["h"])
        return {"h": h}, h


class RightCell(CarryLaws):
    cls = Cell


@mutant("P11", "argument 0", "its new value has another structure")
class OneMoreInTheCarry(CarryLaws):
    class cls(Cell):
        def __call__(self, carry, x):
            carry, h = super().__call__(carry, x)
            return {**carry, "last": h}


@mutant("P11", "argument 0", "its new value is", "float16")
class HalfOfTheCarry(CarryLaws):
    class cls(Cell):
        def __call__(self, carry, x):
            carry, h = super().__call__(carry, x)
            return {"h": carry["h"].astype(jnp.float16)}, h


@mutant("P11", "argument 0", "where jax has 64 bits its new value is", "float64")
class WiderCarry(CarryLaws):
    class cls(Cell):
        def __call__(self, carry, x):
            carry, h = super().__call__(carry, x)
            return {"h": carry["h"] + jnp.zeros(3)}, h

    def arguments(self, seed):
        carry, x = super().arguments(seed)
        return {"h": jnp.asarray(carry["h"], jnp.float32)}, x


# P15, P16: keys that are given.


class Noisy(Linear):
    def __call__(self, x, key):
        return self.affine(x) * (1 + jax.random.uniform(key, x.shape, x.dtype))


class NoisyLaws(LinearLaws):
    cls = Noisy
    updates = ()
    used = ("scale",)
    returns = (Output((3,)),)

    def arguments(self, seed):
        return sample(seed, (3,)), sample(seed, (), "key")


@mutant("P15", "`call`", "a key is used twice")
class KeyTwiceInTheCall(NoisyLaws):
    class cls(Noisy):
        def __call__(self, x, key):
            return super().__call__(x, key) + jax.random.normal(key, x.shape, x.dtype)


@mutant("P16", "eight keys give the same output")
class KeyUnused(NoisyLaws):
    class cls(Noisy):
        def __call__(self, x, key):
            return self.affine(x)


@mutant("P16", "another key gives another output", "out of date")
class KeyUsedAfterAll(NoisyLaws):
    ignores_key = True


# P17


class ByDataclass(nnx.Module, pytree=False):
    def __init__(self, rngs):
        self.scale = nnx.Param(jax.random.normal(rngs.params(), (3,), jnp.float32))

    def __call__(self, x):
        return self.scale[...] * x


jax.tree_util.register_dataclass(ByDataclass, ["scale"], [])


@mutant("P17", "an equal treedef")
class RegisteredByHand(VectorLaws):
    variables = (Var("scale", nnx.Param, (3,)),)
    cls = ByDataclass


# P7: what a compiled call leaves.


@mutant("P7", "`seen`: after jax.jit it is not there, and after an eager call it is")
class KeepsWhatItCanSee(LinearLaws):
    updates = ("seen",)

    class cls(Linear):
        def __call__(self, x):
            if not isinstance(x, Tracer):
                self.seen = nnx.BatchStat(x)
            return super().__call__(x)
