"""NNX modules with one mistake each, and the law that must notice it."""

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from nnx_base import Linear, LinearLaws, Var, mutant, sample

# P1: the constructor.


@mutant("P1", "do not depend on the `rngs`", "a constant key")
class ConstantKey(LinearLaws):
    class cls(Linear):
        def __init__(self, size, scale=2.0, *, rngs):
            super().__init__(size, scale, rngs=rngs)
            self.weight[...] = self.weight[...] + jax.random.normal(jax.random.key(0), (size, size))


@mutant("P1", "weight", "its standard deviation is 0.5", "declared is 1")
class AnotherSpread(LinearLaws):
    class cls(Linear):
        def draw(self, key, shape):
            return 0.5 * jax.random.normal(key, shape, jnp.float32)


@mutant("P1", "weight", "its mean is")
class NotCentred(LinearLaws):
    class cls(Linear):
        def draw(self, key, shape):
            return jax.random.uniform(key, shape, jnp.float32, 0.0, math.sqrt(3))


@mutant("P1", "under jit the constructor needs values", "a check on the values of arrays")
class ChecksValues(LinearLaws):
    class cls(Linear):
        def __init__(self, size, scale=2.0, *, rngs):
            super().__init__(size, scale, rngs=rngs)
            if jnp.any(self.weight[...] > 1e9):
                raise ValueError("big")


class Box:
    def __init__(self, value):
        self.value = value


@mutant("P1", "_first", "holds a tracer outside of its Variables")
class KeepsAValue(LinearLaws):
    class cls(Linear):
        def __init__(self, size, scale=2.0, *, rngs):
            super().__init__(size, scale, rngs=rngs)
            self._first = Box(self.weight[0, 0])


@mutant("P1", "rngs.params", "a stream of the `rngs` that the constructor was given", "rngs.fork()")
class KeepsItsRngs(LinearLaws):
    variables = (*LinearLaws.variables, Var("rngs", nnx.Module))

    def inputs(self, seed):
        return {"size": 3, "rngs": nnx.Rngs(params=seed)}

    class cls(Linear):
        def __init__(self, size, scale=2.0, *, rngs):
            super().__init__(size, scale, rngs=rngs)
            self.rngs = rngs


# P2: what the state is.


@mutant("P2", "mean", "built with dtype bfloat16, it is float32")
class DtypeIgnored(LinearLaws):
    takes_dtype = True

    class cls(Linear):
        def __init__(self, size, scale=2.0, dtype=jnp.float32, *, rngs):
            super().__init__(size, scale, rngs=rngs)
            self.weight = nnx.Param(self.weight[...].astype(dtype))
            self.bias = nnx.Param(self.bias[...].astype(dtype))


# P3: what Flax flattens.


@mutant("P3", "scale", "flatten and unflatten lost or changed this attribute")
class UnflattensOtherwise(LinearLaws):
    class cls(Linear):
        @classmethod
        def _pytree__unflatten(cls, static, children):
            module = super()._pytree__unflatten(static, children)
            object.__setattr__(module, "scale", 2.5)
            return module


@mutant("P3", "scale", "lost or changed this attribute")
class FlattensOtherwise(LinearLaws):
    class cls(Linear):
        def _graph_node_init(self, attributes):
            super()._graph_node_init(attributes)
            object.__setattr__(self, "scale", 2 * self.scale)


# P5: what is static.


class Setting(Linear):
    """Holds one more static attribute."""

    def __init__(self, size, scale=2.0, *, rngs):
        super().__init__(size, scale, rngs=rngs)
        self._setting = self.setting()


@mutant("P5", "_setting", "can change after a compilation")
class ListAttribute(LinearLaws):
    class cls(Setting):
        def setting(self):
            return [1, 2]


@mutant("P5", "_setting", "can change after a compilation")
class DictInATuple(LinearLaws):
    class cls(Setting):
        def setting(self):
            return ({"rate": 0.5},)


@mutant("P5", "_setting", "a local function")
class LambdaAttribute(LinearLaws):
    class cls(Setting):
        def setting(self):
            return lambda x: x


@mutant("P5", "_setting", "a partial")
class PartialAttribute(LinearLaws):
    class cls(Setting):
        def setting(self):
            return functools.partial(jnp.sum, axis=0)


@mutant("P5", "_setting", "NaN: it never equals itself")
class NanAttribute(LinearLaws):
    class cls(Setting):
        def setting(self):
            return float("nan")


@mutant("P5", "_setting", "two modules of one configuration have", "new in each module")
class NewInEach(LinearLaws):
    class cls(Setting):
        def setting(self):
            return object()


@mutant("P5", "inner.table", "can change after a compilation")
class ListInASubModule(LinearLaws):
    variables = (*LinearLaws.variables, Var("inner", nnx.Module))

    class cls(Linear):
        class Inner(nnx.Module):
            def __init__(self):
                self.table = {"a": 1}

        def __init__(self, size, scale=2.0, *, rngs):
            super().__init__(size, scale, rngs=rngs)
            self.inner = self.Inner()


@mutant("P5", "scale", "declared as used by the call", "a constant where `self.scale` belongs")
class ConstantForASetting(LinearLaws):
    class cls(Linear):
        def affine(self, x):
            return 2.0 * (self.weight[...] @ x) + self.bias[...]


@mutant("P5", "scale", "the static value is 3.0, declared is 2.0")
class AnotherSetting(LinearLaws):
    class cls(Linear):
        def __init__(self, size, scale=2.0, *, rngs):
            super().__init__(size, scale + 1, rngs=rngs)


# P7, P8: the call.


@mutant("P7", "output 0", "with each element of the arguments 0 it has NaN", "add an epsilon")
class NoEpsilon(LinearLaws):
    class cls(Linear):
        def affine(self, x):
            return super().affine(x / jnp.sqrt(jnp.sum(x**2)))


@mutant("P7", "Operands could not be broadcast", "of two ranks")
class BroadcastsRanks(LinearLaws):
    broadcasts = False

    class cls(Linear):
        def affine(self, x):
            return super().affine(x) + jnp.sum(self.weight[...] * self.bias[...], axis=0)


_TABLE = {}


@mutant("P8", "weight", "after an update in place the call gives", "a cache keyed by the module")
class CachedById(LinearLaws):
    class cls(Linear):
        def affine(self, x):
            weight = self.weight[...]
            if not isinstance(weight, jax.core.Tracer):
                weight = _TABLE.setdefault(id(self), (self, weight))[1]
            return self.scale * (weight @ x) + self.bias[...]


@mutant("P8", "mean", "declared as used", "changes no output")
class BufferNotUsed(LinearLaws):
    class cls(Linear):
        def __call__(self, x):
            self.mean[...] = 0.9 * self.mean[...] + 0.1 * x
            return self.affine(x)


# P9: gradients.


@mutant("P9", "weight", "3 of its 9 elements never have a gradient", "the first at (2, 0)")
class HalfOfAParameter(LinearLaws):
    class cls(Linear):
        def affine(self, x):
            return self.scale * (self.weight.at[-1].set(0.0) @ x) + self.bias[...]


@mutant("P9", "inner", "no parameter of this sub-module has a gradient")
class SubModuleNotUsed(LinearLaws):
    variables = (*LinearLaws.variables, Var("inner", nnx.Module))

    class cls(Linear):
        def __init__(self, size, scale=2.0, *, rngs):
            super().__init__(size, scale, rngs=rngs)
            self.inner = nnx.Linear(size, size, rngs=rngs)


@mutant("P9", "weight", "the output is finite, and the gradient is NaN", "an epsilon inside")
class RootOfZero(LinearLaws):
    class cls(Linear):
        def affine(self, x):
            return super().affine(x) + jnp.sqrt(jnp.sum((self.weight[...] @ x) ** 2))


# P10, P11: transformations.


@mutant("P11", "argument 0", "the new carry is the old one")
class CarryAsItWas(LinearLaws):
    carry = 0

    class cls(Linear):
        def __call__(self, x):
            super().__call__(x)
            return x


@mutant("P11", "argument 0", "small steps show the slope", "stop_gradient on the carry")
class GradientStopsAtTheCarry(LinearLaws):
    carry = 0

    class cls(Linear):
        def affine(self, x):
            return super().affine(jnp.tanh(jax.lax.stop_gradient(x)))


# P12: purity.


@mutant("P12", "draws depend on nothing that it is given", "a constant key")
class ConstantNoise(LinearLaws):
    class cls(Linear):
        def affine(self, x):
            return super().affine(x) + jax.random.normal(jax.random.key(0), x.shape, x.dtype)


@mutant("P12", "_SEEN", "a tracer was left behind")
class CacheInTheModule(LinearLaws):
    class cls(Linear):
        def affine(self, x):
            _SEEN.append(x)
            return super().affine(x)


_SEEN = []


@mutant("P12", "inverse", "reading this property changed what the module holds", "cached_property")
class CachedProperty(LinearLaws):
    class cls(Linear):
        @functools.cached_property
        def inverse(self):
            return 1 / self.scale


@mutant("P12", "the call changed its arguments in place")
class ChangesItsArgument(LinearLaws):
    def arguments(self, seed):
        return (np.asarray(sample(seed, (3,))).copy(),)

    class cls(Linear):
        def __call__(self, x):
            if isinstance(x, np.ndarray):
                x += 1
            return super().__call__(jnp.asarray(x))


@mutant("P12", "jax.config.jax_debug_nans")
class ChangesASetting(LinearLaws):
    class cls(Linear):
        def affine(self, x):
            jax.config.update("jax_debug_nans", True)
            return super().affine(x)


@mutant("P12", "mean", "put another Variable in its place")
class ReplacesAVariable(LinearLaws):
    class cls(Linear):
        def __call__(self, x):
            mean = jax.lax.stop_gradient(0.9 * self.mean[...] + 0.1 * x)
            self.mean = nnx.BatchStat(mean)
            return self.affine(x - mean)


# P13: objects.


@mutant("P13", "two modules with other Variables are equal", "compares the static values alone")
class EqualByStatics(LinearLaws):
    class cls(Linear):
        __hash__ = object.__hash__

        def __eq__(self, other):
            return type(self) is type(other) and self.scale == other.scale


@mutant("P13", "bool(x == ", "raised", "`__eq__` that compares arrays")
class EqualByArrays(LinearLaws):
    class cls(Linear):
        __hash__ = object.__hash__

        def __eq__(self, other):
            if type(self) is not type(other):
                return False
            return self.weight[...] == other.weight[...]


@mutant("P13", "x == y inside jit raised TracerBoolConversionError")
class EqualByValues(LinearLaws):
    class cls(Linear):
        __hash__ = object.__hash__

        def __eq__(self, other):
            if type(self) is not type(other) or self.scale != other.scale:
                return False
            return bool(jnp.array_equal(self.weight[...], other.weight[...]))


@mutant("P13", "scale", "two modules with other values of it are equal")
class EqualByVariables(LinearLaws):
    class cls(Linear):
        __hash__ = object.__hash__

        def __eq__(self, other):
            return type(self) is type(other) and self.weight[...] is other.weight[...]


@mutant("P13", "a module is false", "`__len__` or `__bool__`")
class Empty(LinearLaws):
    class cls(Linear):
        def __len__(self):
            return 0


@mutant("P13", "bool(x) raised")
class NoTruthValue(LinearLaws):
    class cls(Linear):
        def __bool__(self):
            raise TypeError("no truth value")


@mutant("P13", "changed its hash", "goes by values")
class HashByValues(LinearLaws):
    class cls(Linear):
        def __hash__(self):
            return hash(np.asarray(self.weight[...]).tobytes())


@mutant("P13", "equal modules have different hashes")
class HashById(LinearLaws):
    class cls(Linear):
        __hash__ = object.__hash__

        def __eq__(self, other):
            if type(self) is not type(other):
                return False
            leaves = zip(jax.tree.leaves(self), jax.tree.leaves(other), strict=True)
            return self.scale == other.scale and all(one is two for one, two in leaves)


@mutant("P13", "bias", "of another module", "made on the class")
class SharedVariable(LinearLaws):
    bias = nnx.Param(jnp.zeros((3,), jnp.float32))

    class cls(Linear):
        def __init__(self, size, scale=2.0, *, rngs):
            super().__init__(size, scale, rngs=rngs)
            self.bias = SharedVariable.bias


@mutant("P13", "copy.copy changed it", "__copy__")
class CopiesWrongly(LinearLaws):
    class cls(Linear):
        def __copy__(self):
            other = nnx.clone(self)
            other.bias[...] += 1
            return other


# P14: copies.


class Forgetting(Linear):
    def __getstate__(self):
        return {}


@mutant("P14", "pickle", "__getstate__")
class Forgets(LinearLaws):
    cls = Forgetting


class ForgettingASetting(Setting):
    def setting(self):
        return 3

    def __getstate__(self):
        return {name: value for name, value in vars(self).items() if name != "_setting"}


@mutant("P14", "_setting", "pickle lost or changed this attribute", "__getstate__")
class ForgetsASetting(LinearLaws):
    cls = ForgettingASetting


class Restoring(Linear):
    def __setstate__(self, state):
        super().__setstate__(state)
        self.bias[...] = self.bias[...] + 1


@mutant("P14", "bias", "pickle changed it", "__setstate__")
class RestoresOtherValues(LinearLaws):
    cls = Restoring


@mutant("P14", "update of what copy.deepcopy gave changed the module", "__deepcopy__")
class DeepcopyIsItself(LinearLaws):
    class cls(Linear):
        def __deepcopy__(self, memo=None):
            return self


@mutant("P14", "weight", "copy.deepcopy changed it", "__deepcopy__")
class DeepcopyBuildsAnew(LinearLaws):
    class cls(Linear):
        def __deepcopy__(self, memo=None):
            return type(self)(3, self.scale, rngs=nnx.Rngs(9))


# P15: keys.


@mutant("P15", "a key is used twice")
class KeyTwice(LinearLaws):
    variables = (
        Var("weight", nnx.Param, (3, 3)),
        Var("bias", nnx.Param, (3,)),
        Var("mean", nnx.BatchStat, (3,), value=0.0),
    )

    class cls(Linear):
        def __init__(self, size, scale=2.0, *, rngs):
            super().__init__(size, scale, rngs=rngs)
            key = rngs.params()
            self.weight[...] = self.draw(key, (size, size))
            self.bias[...] = self.draw(key, (size,))


@mutant("P15", "weight", "its rows are one and the same draw")
class RowsAlike(LinearLaws):
    class cls(Linear):
        def draw(self, key, shape):
            return jnp.broadcast_to(jax.random.normal(key, shape[1:], jnp.float32), shape) + 0


@mutant("P15", "layers.1.bias", "the same Variable as `layers.0.bias`", "[layer] * depth")
class OneLayerTwice(LinearLaws):
    variables = (*LinearLaws.variables, Var("layers", nnx.Module))

    class cls(Linear):
        def __init__(self, size, scale=2.0, *, rngs):
            super().__init__(size, scale, rngs=rngs)
            self.layers = nnx.List([nnx.Linear(size, size, rngs=rngs)] * 2)

        def affine(self, x):
            for layer in self.layers:
                x = layer(x)
            return super().affine(x)
