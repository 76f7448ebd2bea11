"""Mistakes in train states that keep an average of their weights, or hold what no optimiser moves, each with its right form."""

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from harness.pairs import further
from right.specimens import Leaf, sample

from mistakes.kinds.training import TRAINED, Averaged, AverageLaws, Line, State, StateLaws, widened


class NarrowAverage(Averaged):
    """Keeps the average in 32 bits, whatever the weights have."""

    @classmethod
    def create(cls, model, optimiser, ema_decay=0.9):
        first = super().create(model, optimiser, ema_decay)
        return eqx.tree_at(
            lambda state: state.ema, first, jax.tree.map(lambda v: v.astype("float32"), first.ema)
        )


further(
    TRAINED,
    "an average in 32 bits of weights in 64",
    NarrowAverage,
    Averaged,
    "the average of weights in float64 has no more than 32 bits",
    base=AverageLaws,
)


class CountedLine(Line):
    """A model with an integer, which no optimiser moves."""

    count: jax.Array


def widened_floats(model):
    floats, rest = eqx.partition(jax.tree.map(jnp.array, model), eqx.is_inexact_array)
    return eqx.combine(widened(floats), rest)


class AveragedWeights(Averaged):
    """A right average of the weights of such a model, with all that it holds besides."""

    @classmethod
    def create(cls, model, optimiser, ema_decay=0.9):
        model, ema = jax.tree.map(jnp.array, model), widened_floats(model)
        opt_state = optimiser.init(eqx.filter(model, eqx.is_inexact_array))
        opt_state = jax.tree.map(jnp.array, opt_state)
        return cls(model, opt_state, jnp.zeros((), jnp.int32), ema, ema_decay)

    def average(self, old, new):
        return super().average(old, new) if eqx.is_inexact_array(new) else new

    def apply_gradients(self, gradients, optimiser):
        weights = eqx.filter(self.model, eqx.is_inexact_array)
        inner = State(weights, self.opt_state, self.step).apply_gradients(gradients, optimiser)
        model = eqx.combine(inner.model, self.model)
        ema = jax.tree.map(self.average, self.ema, model)
        return type(self)(model, inner.opt_state, inner.step, ema, self.ema_decay)


class WeightsAlone(AveragedWeights):
    """Gives the weights, and nothing of what the model holds besides."""

    def averaged(self):
        return eqx.filter(self.ema, eqx.is_inexact_array)


class CountedLaws(AverageLaws):
    def inputs(self, seed):
        line = CountedLine(sample(seed, (3,)), sample(seed + 1, (3,)), jnp.asarray(seed, jnp.int32))
        return {"model": line, "optimiser": optax.adam(0.01)}


further(
    TRAINED,
    "an average that is no whole model",
    WeightsAlone,
    AveragedWeights,
    "expected is that of the model",
    base=CountedLaws,
)


class InitsTheBuffer(AveragedWeights):
    """The optimiser has a state for the integer too."""

    @classmethod
    def create(cls, model, optimiser, ema_decay=0.9):
        made = AveragedWeights.create.__func__(cls, model, optimiser, ema_decay)
        return eqx.tree_at(lambda state: state.opt_state, made, optimiser.init(made.model))


class MovesOne(AveragedWeights):
    """Puts the old slope back after each step."""

    def apply_gradients(self, gradients, optimiser):
        after = super().apply_gradients(gradients, optimiser)
        return eqx.tree_at(lambda state: state.model.slope, after, self.model.slope)


class AverageOfZeros(AveragedWeights):
    """The average begins at 0."""

    @classmethod
    def create(cls, model, optimiser, ema_decay=0.9):
        made = AveragedWeights.create.__func__(cls, model, optimiser, ema_decay)
        return eqx.tree_at(lambda state: state.ema.slope, made, jnp.zeros_like(made.model.slope))


def counted(title, broken, *words):
    further(TRAINED, title, broken, AveragedWeights, *words, base=CountedLaws)


counted(
    "an optimiser's state of what is not trained", InitsTheBuffer, "`optimiser.init(eqx.filter(model, spec))`"
)
counted("a weight that no step moves", MovesOne, "at `model.slope`: it is trained, and a step left it")
counted("an average that begins at 0", AverageOfZeros, "expected are the weights")


class Slow(State):
    """Holds a slow copy of the model, which no optimiser moves."""

    slow: Line

    @classmethod
    def create(cls, model, optimiser, slow):
        first = State.create(model, optimiser)
        return cls(first.model, first.opt_state, first.step, jax.tree.map(jnp.array, slow))

    def apply_gradients(self, gradients, optimiser):
        model, opt_state = self.updates(gradients, optimiser)
        return type(self)(model, opt_state, self.step + 1, self.slow)


class SharesSlow(Slow):
    """Keeps the slow model that it was given, which may be the model."""

    @classmethod
    def create(cls, model, optimiser, slow):
        first = State.create(model, optimiser)
        return cls(first.model, first.opt_state, first.step, slow)


class SlowLaws(StateLaws):
    leaves = (*StateLaws.leaves, Leaf("slow", "module", frozen=True))

    def inputs(self, seed):
        return {**super().inputs(seed), "slow": Line(sample(seed + 2, (3,)), sample(seed + 3, (3,)))}


further(
    TRAINED,
    "a train state that keeps another part that it was given",
    SharesSlow,
    Slow,
    "deleted this array, which it was given",
    base=SlowLaws,
)
