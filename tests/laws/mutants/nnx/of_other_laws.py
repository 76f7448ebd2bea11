"""Mistakes with NNX modules that another law is there for, and that these laws notice too; and a few that only they notice."""

import jax
import jax.numpy as jnp
from flax import nnx
from harness.nnx_modules import Linear, LinearLaws, Var, mutant
from harness.pairs import suite_of
from mistakes.kinds.nnx import AddsVariable, CounterLaws, OfTheClass, PlainCount
from mistakes.reported import nnx as pitfalls_nnx

from mutants.nnx import modules as mutants_nnx
from mutants.nnx import objects as mutants_nnx_objects
from mutants.nnx.files import Kept, KeptLaws

mutant("P2", "that is not a Variable")(mutants_nnx.KeepsAValue)
mutant("P6", "was traced anew")(suite_of(PlainCount, CounterLaws))
mutant("P7", "the call under strict promotion raised", "the call in bfloat16 raised")(
    suite_of(OfTheClass, CounterLaws)
)
mutant("P7", "with bfloat16 Variables and arguments")(pitfalls_nnx.AppendedLater)
mutant("P7", "the call changed a dtype of the state")(suite_of(AddsVariable, CounterLaws))
mutant("P7", "nnx.jit gives")(mutants_nnx_objects.ChangesItsArgument)
mutant("P8", "after an edit the compiled call gives")(mutants_nnx_objects.ChangesItsArgument)
mutant("P9", "two training steps changed the graph definition")(suite_of(AddsVariable, CounterLaws))
mutant("P9", "training leaves it out", "did not move it")(pitfalls_nnx.ArrayInNoVariable)
mutant("P9", "the gradient is zero everywhere")(mutants_nnx.CarryAsItWas)
mutant("P10", "vmap gives")(mutants_nnx_objects.ChangesItsArgument)
mutant("P12", "the call updated it, and it is not among `updates`")(suite_of(AddsVariable, CounterLaws))

# P7, P9: a call that cannot be compiled, and one that has no gradient.


@mutant("P7", "the call under jax.jit raised")
class LooksAtAValue(LinearLaws):
    class cls(Linear):
        def __call__(self, x):
            return super().__call__(x) if float(jnp.sum(self.weight[...])) < 1e9 else x


@mutant("P9", "a training step raised", "the gradient of the call raised")
class WithoutGradient(LinearLaws):
    class cls(Linear):
        def __call__(self, x):
            y = super().__call__(x)
            shape = jax.ShapeDtypeStruct(y.shape, y.dtype)
            return jax.pure_callback(lambda value: value, shape, y, vmap_method="sequential")


# P2, P5, P9: Variables of another type or dtype.


@mutant("P2", "`mean`", "it is a Param, declared is BatchStat")
@mutant("P9", "`mean`", "a buffer that is an nnx.Param")
class BufferAsParam(LinearLaws):
    class cls(Linear):
        def __init__(self, size, scale=2.0, *, rngs):
            super().__init__(size, scale, rngs=rngs)
            self.mean = nnx.Param(self.mean.get_value())


class FlowingLaws(LinearLaws):
    """A right module, whose running mean has its gradient."""

    class cls(Linear):
        def __call__(self, x):
            self.mean[...] = 0.9 * self.mean[...] + 0.1 * x
            return self.affine(x - self.mean[...])

    variables = (*LinearLaws.variables[:2], Var("mean", nnx.BatchStat, (3,), value=0.0, flows=True))


@mutant("P9", "`call`", "small steps show the slope", "on data, or on what the call updates")
class StateAsBuffer(FlowingLaws):
    cls = Linear


@mutant("P9", "`mean`", "declared as buffer, but the call has the gradient")
class BufferAsState(LinearLaws):
    cls = FlowingLaws.cls


@mutant("P2", "`bias`", "the dtype is float16, declared is float")
class HalfOfABias(LinearLaws):
    class cls(Linear):
        def __init__(self, size, scale=2.0, *, rngs):
            super().__init__(size, scale, rngs=rngs)
            self.bias = nnx.Param(jnp.zeros((size,), jnp.float16))


@mutant("P5", "`mean`", "it is weakly typed")
class WeakMean(LinearLaws):
    class cls(Linear):
        def __init__(self, size, scale=2.0, *, rngs):
            super().__init__(size, scale, rngs=rngs)
            self.mean = nnx.BatchStat(jnp.full((size,), 0.0))


# P2, P12: what a call keeps.


@mutant("P2", "an array of shape (3,) that is not a Variable")
@mutant("P12", "a tracer was left behind by a first call under jit")
class KeepsTheLast(LinearLaws):
    class cls(Linear):
        def affine(self, x):
            vars(self)["_last"] = mutants_nnx.Box(x)
            return super().affine(x)


# P14, P16: states and maps.


class TakesAnything(Kept):
    def restore(self, state):
        nnx.update(self, state)


@mutant("P14", "the state with {'wide': True} was accepted")
class AnotherConfiguration(KeptLaws):
    other = {"wide": True}  # noqa: RUF012

    class cls(TakesAnything):
        def __init__(self, size, scale=2.0, wide=False, *, rngs):
            super().__init__(size, scale, rngs=rngs)
            if wide:
                self.more = nnx.Param(jnp.zeros((size,), jnp.float32))


def in_place(functions, tree):
    """Edits the Variables of what it is given."""
    state = nnx.state(tree) if isinstance(tree, nnx.Module) else tree
    for one in jax.tree.leaves(state, is_leaf=lambda node: isinstance(node, nnx.Variable)):
        kind = next((kind for kind in type(one).__mro__ if kind in functions), None)
        if kind is not None:
            one.set_value(functions[kind](one.get_value()))
    return state


def of_matches(functions, tree):
    """Replaces what a function is for, and leaves the other Variables as they are."""
    is_variable = lambda node: isinstance(node, nnx.Variable)  # noqa: E731

    def mapped(node):
        kind = next((kind for kind in type(node).__mro__ if kind in functions), None)
        return node if kind is None else node.replace(functions[kind](node.get_value()))

    return jax.tree.map(
        mapped, nnx.state(tree) if isinstance(tree, nnx.Module) else tree, is_leaf=is_variable
    )


@mutant("P16", "map_variables edited it in place")
class MapsInPlace(KeptLaws):
    map_variables = staticmethod(in_place)


@mutant("P16", "the new state holds the Variable of the module")
class MapsWhatMatches(KeptLaws):
    map_variables = staticmethod(of_matches)
