"""Mistakes in train states that are in no catalogue, each with the form that is right."""

# ruff: noqa: RUF012 - suites declare plain dicts, as their users do
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from harness.pairs import further
from right.specimens import Leaf, sample

from pytree_laws.train_state import TrainStateLaws


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


class StateLaws(TrainStateLaws):
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


TRAINED = "train_state"
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


def widened(model):
    """A copy with its floats in 32 bits, in which an average moves by small steps."""
    return jax.tree.map(lambda v: jnp.array(v, jnp.promote_types(v.dtype, jnp.float32)), model)


class Averaged(eqx.Module):
    model: Line
    opt_state: Any
    step: jax.Array
    ema: Line
    ema_decay: float = eqx.field(static=True)

    @classmethod
    def create(cls, model, optimiser, ema_decay=0.9):
        first = State.create(model, optimiser)
        return cls(first.model, first.opt_state, first.step, widened(model), ema_decay)

    def average(self, old, new):
        return self.ema_decay * old + (1 - self.ema_decay) * new.astype(old.dtype)

    def apply_gradients(self, gradients, optimiser):
        model, opt_state = State.updates(self, gradients, optimiser)
        ema = jax.tree.map(self.average, self.ema, model)
        return type(self)(model, opt_state, self.step + 1, ema, self.ema_decay)

    def averaged(self):
        return jax.tree.map(lambda old, new: new.astype(old.dtype), self.model, self.ema)


class SwappedAverage(Averaged):
    """Keeps the small share of the average, and not the large one."""

    def average(self, old, new):
        return (1 - self.ema_decay) * old + self.ema_decay * new.astype(old.dtype)


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


class WideAverage(Averaged):
    """Gives the average as it keeps it, in 32 bits."""

    def averaged(self):
        return self.ema


further(
    TRAINED,
    "an averaged model in another dtype",
    WideAverage,
    Averaged,
    "the average of a model in bfloat16 is a model in float32",
    base=AverageLaws,
)


class ListState(State):
    """The optimiser's state comes back as a list."""

    def apply_gradients(self, gradients, optimiser):
        model, opt_state = self.updates(gradients, optimiser)
        return type(self)(model, list(opt_state), self.step + 1)


class NumPySteps(State):
    """Adds noise of NumPy to the weights."""

    def apply_gradients(self, gradients, optimiser):
        model, opt_state = self.updates(gradients, optimiser)
        noise = np.random.default_rng().standard_normal(3)
        model = jax.tree.map(lambda leaf: leaf + jnp.asarray(noise, leaf.dtype), model)
        return type(self)(model, opt_state, self.step + 1)


class NumPyStart(State):
    """Begins at weights with noise of NumPy."""

    @classmethod
    def create(cls, model, optimiser):
        noise = np.random.default_rng().standard_normal(3)
        model = jax.tree.map(lambda leaf: leaf + jnp.asarray(noise, leaf.dtype), model)
        return State.create.__func__(cls, model, optimiser)


class KnownOptimiser(State):
    """Refuses every optimiser but the very object that it was made with."""

    made_with: Any = eqx.field(static=True)

    @classmethod
    def create(cls, model, optimiser):
        return cls(*State.create(model, optimiser).__dict__.values(), optimiser)

    def apply_gradients(self, gradients, optimiser):
        if optimiser is not self.made_with:
            raise ValueError("another optimiser than the one that it was made with")
        model, opt_state = self.updates(gradients, optimiser)
        return type(self)(model, opt_state, self.step + 1, self.made_with)


ADAM = optax.adam(0.01)


class OneOptimiserLaws(StateLaws):
    def inputs(self, seed):
        return {**super().inputs(seed), "optimiser": ADAM}


further(
    TRAINED,
    "an optimiser's state that becomes a list",
    ListState,
    State,
    "changed the treedef",
    base=StateLaws,
)
further(TRAINED, "noise of NumPy in a step", NumPySteps, State, "lax.scan and a loop end", base=StateLaws)
further(
    TRAINED, "noise of NumPy at the start", NumPyStart, State, "a second run from the same", base=StateLaws
)
further(
    TRAINED,
    "an optimiser that is recognised by identity",
    KnownOptimiser,
    State,
    "an update whose optimiser is an argument of `eqx.filter_jit` raised ValueError: another optimiser",
    base=OneOptimiserLaws,
)


class Keyed(State):
    """A right train state with a key for each step."""

    key: jax.Array

    @classmethod
    def create(cls, model, optimiser):
        return cls(*State.create(model, optimiser).__dict__.values(), jax.random.key(0))

    @property
    def step_key(self):
        return jax.random.fold_in(self.key, self.step)

    def apply_gradients(self, gradients, optimiser):
        model, opt_state = self.updates(gradients, optimiser)
        return type(self)(model, opt_state, self.step + 1, self.key)


class KeyOfNumPy(Keyed):
    """Draws the key of a step whenever it is read."""

    @property
    def step_key(self):
        return jax.random.fold_in(self.key, int(np.random.randint(10**6)))


class OneKey(Keyed):
    @property
    def step_key(self):
        return self.key


class KeyedLaws(StateLaws):
    leaves = (*StateLaws.leaves, Leaf("key", "key"))


further(
    TRAINED, "a step's key that is drawn anew", KeyOfNumPy, Keyed, "the key of one step is", base=KeyedLaws
)
further(TRAINED, "one key for two steps", OneKey, Keyed, "two steps have the same key", base=KeyedLaws)


class WeakStep(State):
    @classmethod
    def create(cls, model, optimiser):
        made = State.create(model, optimiser)
        return cls(made.model, made.opt_state, jnp.asarray(0))


class NoSteps(State):
    def apply_gradients(self, gradients, optimiser):
        model, opt_state = self.updates(gradients, optimiser)
        return type(self)(model, opt_state, self.step)


further(
    TRAINED,
    "a weakly typed counter of steps",
    WeakStep,
    State,
    "steps are counted in ~int32",
    base=StateLaws,
)
further(
    TRAINED,
    "a counter of steps that stands still",
    NoSteps,
    State,
    "after one and two updates it is [0, 0, 0]",
    base=StateLaws,
)
