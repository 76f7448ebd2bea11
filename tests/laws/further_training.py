"""Mistakes in train states that are in no catalogue, each with the form that is right."""

# ruff: noqa: RUF012 - suites declare plain dicts, as their users do
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from good_specimens import Leaf, sample
from laws_runner import load_laws
from pairs import further

train_laws = load_laws("train_state_laws")


class Line(eqx.Module):
    slope: jax.Array
    shift: jax.Array

    def __call__(self, x):
        return self.slope * x + self.shift


class State(eqx.Module):
    model: Line
    opt_state: Any
    step: jax.Array

    @classmethod
    def create(cls, model, optimiser):
        model = jax.tree.map(jnp.array, model)
        opt_state = jax.tree.map(jnp.array, optimiser.init(model))
        return cls(model, opt_state, jnp.zeros((), jnp.int32))

    def updates(self, gradients, optimiser):
        with jax.numpy_dtype_promotion("standard"):
            updates, opt_state = optimiser.update(gradients, self.opt_state, self.model)
            model = optax.apply_updates(self.model, updates)
        kept = jax.tree.map(lambda old, new: jnp.asarray(new, old.dtype), self.opt_state, opt_state)
        return model, kept

    def apply_gradients(self, gradients, optimiser):
        model, opt_state = self.updates(gradients, optimiser)
        return type(self)(model, opt_state, self.step + 1)


class StateLaws(train_laws.TrainStateLaws):
    cls: Any = None
    leaves = (Leaf("model", "module"), Leaf("opt_state", "module"), Leaf("step", "buffer", (), "int32"))

    def inputs(self, seed):
        return {"model": Line(sample(seed, (3,)), sample(seed + 1, (3,))), "optimiser": optax.adam(0.01)}

    def build(self, model, optimiser, **settings):
        return self.cls.create(model, optimiser, **settings)

    def examples(self, seed):
        return (sample(seed, (3,)),)

    def predict(self, model, *examples):
        return model(*examples)


class Ascends(State):
    """Adds the gradients, and not the updates."""

    def apply_gradients(self, gradients, optimiser):
        _, opt_state = self.updates(gradients, optimiser)
        return type(self)(optax.apply_updates(self.model, gradients), opt_state, self.step + 1)


class BeginsAnew(State):
    """The optimiser forgets its moments in each step."""

    def apply_gradients(self, gradients, optimiser):
        model, _ = self.updates(gradients, optimiser)
        return type(self)(model, optimiser.init(self.model), self.step + 1)


class TwiceUpdated(State):
    """Applies the updates twice."""

    def apply_gradients(self, gradients, optimiser):
        model, opt_state = self.updates(gradients, optimiser)
        model = jax.tree.map(lambda new, old: 2 * new - old, model, self.model)
        return type(self)(model, opt_state, self.step + 1)


class FloatSteps(State):
    def apply_gradients(self, gradients, optimiser):
        model, opt_state = self.updates(gradients, optimiser)
        return type(self)(model, opt_state, self.step + 1.0)


class Shares(State):
    """Keeps the model that it was given."""

    @classmethod
    def create(cls, model, optimiser):
        return cls(model, optimiser.init(model), jnp.zeros((), jnp.int32))


TRAINED = "train_state_laws"
further(TRAINED, "gradients that are added as they are", Ascends, State, base=StateLaws)
further(TRAINED, "an optimiser that begins anew in each step", BeginsAnew, State, base=StateLaws)
further(
    TRAINED,
    "updates that are applied twice",
    TwiceUpdated,
    State,
    "a step of plain descent gives",
    base=StateLaws,
)
further(TRAINED, "steps that are counted in floats", FloatSteps, State, base=StateLaws)
further(TRAINED, "a train state that keeps the model that it was given", Shares, State, base=StateLaws)


class Averaged(eqx.Module):
    model: Line
    opt_state: Any
    step: jax.Array
    ema: Line
    ema_decay: float = eqx.field(static=True)

    @classmethod
    def create(cls, model, optimiser, ema_decay=0.9):
        first = State.create(model, optimiser)
        return cls(first.model, first.opt_state, first.step, jax.tree.map(jnp.array, model), ema_decay)

    def average(self, old, new):
        return self.ema_decay * old + (1 - self.ema_decay) * new

    def apply_gradients(self, gradients, optimiser):
        model, opt_state = State.updates(self, gradients, optimiser)
        ema = jax.tree.map(self.average, self.ema, model)
        return type(self)(model, opt_state, self.step + 1, ema, self.ema_decay)

    def averaged(self):
        return self.ema


class SwappedAverage(Averaged):
    """Keeps the small share of the average, and not the large one."""

    def average(self, old, new):
        return (1 - self.ema_decay) * old + self.ema_decay * new


class LateAverage(Averaged):
    """Averages the weights from before the step."""

    def apply_gradients(self, gradients, optimiser):
        model, opt_state = State.updates(self, gradients, optimiser)
        ema = jax.tree.map(self.average, self.ema, self.model)
        return type(self)(model, opt_state, self.step + 1, ema, self.ema_decay)


class AverageLaws(StateLaws):
    leaves = (*StateLaws.leaves, Leaf("ema", "module"))
    static = {"ema_decay": 0.9}


further(
    TRAINED,
    "the shares of an average exchanged",
    SwappedAverage,
    Averaged,
    "the average is not",
    base=AverageLaws,
)
further(TRAINED, "an average of the weights before the step", LateAverage, Averaged, base=AverageLaws)
