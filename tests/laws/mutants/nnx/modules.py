"""NNX modules with one mistake each, and the law that must notice it."""

import functools
import math

import jax
import jax.numpy as jnp
from flax import nnx
from harness.nnx_modules import Linear, LinearLaws, Var, mutant

# P1: the constructor.


@mutant("P1", "do not depend on the key", "a constant key")
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


@mutant("P5", "_setting", "two modules of one configuration have", "new in each")
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


@mutant("P8", "weight", "after an assignment the call gives", "a cache keyed by the instance")
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


@mutant("P9", "inner", "no Variable of this sub-tree has a gradient")
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
