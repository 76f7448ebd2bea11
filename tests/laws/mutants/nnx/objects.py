"""NNX modules with one mistake each: what a call leaves behind, what an object is, and how it is copied."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from harness.nnx_modules import Linear, LinearLaws, Var, mutant, sample

from mutants.nnx.modules import Setting
from pytree_laws import Method

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


class Moments(nnx.Module):
    """Forgets the mean that it has computed."""

    def __init__(self):
        self.mean, self.square = nnx.BatchStat(jnp.zeros(3)), nnx.BatchStat(jnp.zeros(3))

    def __call__(self, x):
        return (x - self.mean[...]) / jnp.sqrt(1 + self.square[...])

    def observe(self, x):
        mean = self.mean[...]
        mean += 0.1 * (x - mean)
        self.square[...] = 0.9 * self.square[...] + 0.1 * x**2
        return self.square[...]


@mutant("P12", "mean", "neither the call nor a method updates it, as they do `square`")
class ForgetsTheMean(LinearLaws):
    variables, returns, updates = None, None, ()
    methods = (Method("observe", lambda seed: (sample(seed, (3,)),)),)

    def inputs(self, seed):
        return {}

    def build(self):
        return Moments()


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


@mutant("P13", "an instance is false", "`__len__` or `__bool__`")
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


@mutant("P13", "copy.copy without changes changed it", "__copy__")
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
