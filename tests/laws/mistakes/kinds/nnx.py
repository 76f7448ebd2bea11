"""Mistakes with NNX modules that are in no catalogue, each with the form that is right."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx
from harness.nnx_modules import Var, VectorLaws
from harness.pairs import further

from mistakes.values.numbers import record_of_the_right_form


class CounterLaws(VectorLaws):
    variables = (Var("scale", nnx.Param, (3,)), Var("calls", nnx.BatchStat, ()))
    updates = ("calls",)


class Counter(nnx.Module):
    def __init__(self, rngs):
        self.scale = nnx.Param(jax.random.normal(rngs.params(), (3,), jnp.result_type(float)))
        self.calls = nnx.BatchStat(jnp.zeros((), jnp.result_type(float)))

    def __call__(self, x):
        self.calls[...] += 1
        return self.scale[...] * x


class Replaces(Counter):
    """Puts an array in the place of its Variable."""

    def __call__(self, x):
        self.calls = self.calls[...] + 1
        return self.scale[...] * x


class RenewsVariable(Counter):
    """Puts a new Variable in the place of the old one."""

    def __call__(self, x):
        self.calls = nnx.BatchStat(self.calls[...] + 1)
        return self.scale[...] * x


class AddsVariable(Counter):
    """Makes a Variable in its first call."""

    def __call__(self, x):
        self.calls[...] += 1
        if not hasattr(self, "last"):
            self.last = nnx.Cache(x)
        return self.scale[...] * x


class SameStream(Counter):
    """Draws with a key of its own, and not from the streams that it is given."""

    def __init__(self, rngs):
        super().__init__(rngs)
        self.scale = nnx.Param(jax.random.normal(jax.random.key(0), (3,), jnp.result_type(float)))


class Growing(Counter):
    """Its state takes the shape of what it is given."""

    def __call__(self, x):
        self.calls[...] = self.calls[...] + x
        return self.scale[...] * x


further("P12", "NNX: an array in the place of a Variable", Replaces, Counter, base=CounterLaws)
further("P11", "NNX: a Variable that is made in the call", AddsVariable, Counter, base=CounterLaws)
further(
    "P1", "NNX: a key of its own in the constructor", SameStream, Counter, base=CounterLaws, drawn=("scale",)
)
further("P7", "NNX: a state that takes the shape of the input", Growing, Counter, base=CounterLaws)
further(
    "P12",
    "NNX: a new Variable in the place of the old one",
    RenewsVariable,
    Counter,
    base=CounterLaws,
)


class PlainCount(Counter):
    """Counts in a plain attribute, which is static."""

    def __init__(self, rngs):
        super().__init__(rngs)
        self.total = 0

    def __call__(self, x):
        self.calls[...] += 1
        self.total += 1
        return self.scale[...] * x


class OfTheClass(Counter):
    """Its Variable is an attribute of the class."""

    calls = nnx.BatchStat(jnp.zeros((), jnp.float32))

    def __init__(self, rngs):
        self.scale = nnx.Param(jax.random.normal(rngs.params(), (3,), jnp.result_type(float)))


further("P12", "NNX: a count in a plain attribute", PlainCount, Counter, base=CounterLaws)
further("P2", "NNX: a Variable of the class", OfTheClass, Counter, base=CounterLaws)


class SoftmaxByHand(Counter):
    """Divides powers that overflow."""

    def __call__(self, x):
        self.calls[...] += 1
        powers = jnp.exp(self.scale[...] * x)
        return powers / jnp.sum(powers)


class Softmax(Counter):
    def __call__(self, x):
        self.calls[...] += 1
        return jax.nn.softmax(self.scale[...] * x)


further(
    "P7", "NNX: a softmax of powers that overflow", SoftmaxByHand, Softmax, "in 64 bits", base=CounterLaws
)


# A static value that was computed from a size, and Variables of another size.


class Rooted(nnx.Module):
    """Divides by the root of its width, as its weight has it."""

    def __init__(self, width, *, rngs):
        self.weight = nnx.Param(jax.random.normal(rngs.params(), (width,), jnp.result_type(float)))
        self.twice = 2 * width

    def __call__(self, x):
        weight = self.weight[...]
        return weight * x / jnp.sqrt(jnp.asarray(weight.shape[0], x.dtype))


class RootedByAField(Rooted):
    def __call__(self, x):
        return self.weight[...] * x / jnp.sqrt(jnp.asarray(self.twice / 2, x.dtype))


class RootedLaws(VectorLaws):
    variables = (Var("weight", nnx.Param, (3,)),)

    def inputs(self, seed):
        return {"width": 3, "rngs": nnx.Rngs(seed)}


class RootedWithItsWidth(Rooted):
    """Holds the width that it is given: who gives it says what it is."""

    def __init__(self, width, *, rngs):
        super().__init__(width, rngs=rngs)
        self.width = width
        del self.twice

    def __call__(self, x):
        return self.weight[...] * x / jnp.sqrt(jnp.asarray(self.width, x.dtype))


for right in (Rooted, RootedWithItsWidth):
    further(
        *("P8", f"NNX: a static size beside a Variable of another size, {right.__name__}", RootedByAField),
        *(right, "at `twice`: with leaves of another size the call gives", "take it from the array"),
        base=RootedLaws,
    )


class Frozen(Counter):
    """Counts its calls while it trains."""

    def __init__(self, rngs, training: bool = True):
        super().__init__(rngs)
        self.training = training

    def __call__(self, x):
        if self.training:
            self.calls[...] += 1
            return 2 * self.scale[...] * x
        return self.scale[...] * x


class CountsAlways(Frozen):
    def __call__(self, x):
        self.calls[...] += not self.training
        return super().__call__(x)


class FrozenLaws(CounterLaws):
    right = Frozen

    def recorded(self):
        return record_of_the_right_form(self)


further(
    *("P19", "A state that is updated where a flag is off", CountsAlways, Frozen),
    *("after call().calls with training=False: it is 1.", "recorded is 0."),
    base=FrozenLaws,
)


SHARED = optax.sgd(0.1)


class Trained(nnx.Module):
    """It holds the optimiser that it is given, which all instances share."""

    def __init__(self, rngs, tx=SHARED):
        self.counter = Counter(rngs)
        self.optimizer = nnx.Optimizer(self.counter, tx, wrt=nnx.Param)

    def __call__(self, x):
        return self.counter(x)


class MakesItsTransformation(Trained):
    """Makes the functions of its optimiser anew in each constructor, so that each instance is compiled anew."""

    def __init__(self, rngs):
        super().__init__(rngs, optax.sgd(0.1))


class TrainedLaws(VectorLaws):
    variables = (Var("counter", nnx.Module), Var("optimizer", nnx.Module))
    updates = ("counter.calls",)


further(
    *("P5", "NNX: a transformation of optax that each constructor makes", MakesItsTransformation, Trained),
    *("hold another `GradientTransformationExtraArgs` there", "make it once"),
    base=TrainedLaws,
)
