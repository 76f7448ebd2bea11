"""Mistakes in carries, training, files and NNX modules that are in no catalogue, each with the form that is right."""

# ruff: noqa: RUF012 - suites declare plain dicts, as their users do
import json
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx
from good_specimens import Leaf, Output, sample
from laws_runner import load_laws
from pairs import Pair, Weighted, suite_of

train_laws, nnx_laws = load_laws("train_state_laws"), load_laws("nnx_laws")
PAIRS: dict[str, Pair] = {}


def further(law, title, broken, fixed, *words, base=Weighted, survives="", **declared):
    """Notes a mistake; both forms have suites that declare the same."""
    suites = suite_of(broken, base, **declared), suite_of(fixed, base, **declared)
    PAIRS[title] = Pair(title, *suites, law, words, survives)


class One(eqx.Module):
    """What most of these classes begin with."""

    weight: jax.Array


# --- Carries ---


class CarryLaws(Weighted):
    returns = ()
    carry = 1

    def arguments(self, seed):
        return sample(seed, (3,)), sample(seed + 1, (3,))

    def call(self, instance, *arguments):
        return instance(*arguments)


class KeptAxis(One):
    def __call__(self, x, state):
        state = jnp.mean(self.weight * x + state, keepdims=True)
        return state, state


class MeanRightly(One):
    def __call__(self, x, state):
        state = jnp.broadcast_to(jnp.mean(self.weight * x + state, keepdims=True), x.shape)
        return state, state


further("P11", "an axis that the carry loses", KeptAxis, MeanRightly, base=CarryLaws)


class CountLaws(CarryLaws):
    def arguments(self, seed):
        return sample(seed, (3,)), jnp.asarray(seed, jnp.int32)


class FloatCount(One):
    def __call__(self, x, count):
        return count + 1.0, self.weight * x


class IntCount(One):
    def __call__(self, x, count):
        return count + 1, self.weight * x


further("P11", "a count that becomes a float", FloatCount, IntCount, "float32", base=CountLaws)


class ListCarry(CarryLaws):
    def arguments(self, seed):
        return sample(seed, (3,)), (sample(seed + 1, (3,)), sample(seed + 2, (3,)))


class CarriesList(One):
    def __call__(self, x, state):
        return [self.weight * x + state[1], state[0]], x + state[0]


class CarriesTuple(One):
    def __call__(self, x, state):
        return (self.weight * x + state[1], state[0]), x + state[0]


further("P11", "a list where the carry is a tuple", CarriesList, CarriesTuple, "structure", base=ListCarry)


class NoCarry(One):
    def __call__(self, x, state):
        return state, self.weight * x + state


class Carry(One):
    def __call__(self, x, state):
        state = 0.5 * state + self.weight * x
        return state, state


further(
    "P11",
    "a state that is returned as it was",
    NoCarry,
    Carry,
    base=CarryLaws,
    survives="no law asks whether a call changes its carry",
)


# --- Files ---


class Saved(eqx.Module):
    weight: jax.Array
    bias: jax.Array

    def __call__(self, x):
        return self.weight * x + self.bias

    def save(self, path):
        with open(path, "wb") as file:
            np.savez(file, weight=self.weight, bias=self.bias)

    @classmethod
    def load(cls, path, like):
        with np.load(path) as file:
            for name, leaf in vars(like).items():
                if file[name].shape != leaf.shape or file[name].dtype != leaf.dtype:
                    raise ValueError(f"the file does not fit at {name}")
            return cls(jnp.asarray(file["weight"]), jnp.asarray(file["bias"]))


class FileLaws(Weighted):
    leaves = (Leaf("weight", "param", (3,)), Leaf("bias", "param", (3,)))

    def build(self, weight):
        return self.cls(jnp.array(weight), 2 * weight)


class LoadsWhatThereIs(Saved):
    """Keeps the value of the skeleton where the file has none."""

    @classmethod
    def load(cls, path, like):
        with np.load(path) as file:
            return cls(*(jnp.asarray(file[name]) if name in file else v for name, v in vars(like).items()))


further(
    "P14",
    "a file that lacks a leaf is loaded",
    LoadsWhatThereIs,
    Saved,
    base=FileLaws,
    survives="no law loads a file with a leaf less",
)


class LoadsAnyShape(Saved):
    """Takes what is in the file, of any shape."""

    @classmethod
    def load(cls, path, like):
        with np.load(path) as file:
            return cls(jnp.asarray(file["weight"]), jnp.asarray(file["bias"]))


further(
    "P14",
    "a file of other shapes is loaded",
    LoadsAnyShape,
    Saved,
    "loaded into another",
    base=FileLaws,
    other={"weight": sample(0, (4,))},
)


class SavesHalf(Saved):
    """Saves in half precision, to make files small."""

    def save(self, path):
        with open(path, "wb") as file:
            np.savez(file, weight=np.asarray(self.weight, np.float16), bias=np.asarray(self.bias, np.float16))

    @classmethod
    def load(cls, path, like):
        with np.load(path) as file:
            return cls(*(jnp.asarray(file[name], v.dtype) for name, v in vars(like).items()))


further("P14", "a file in half precision", SavesHalf, Saved, "save and load made", base=FileLaws)


class SavesText(Saved):
    """Saves as JSON with a few digits."""

    def save(self, path):
        with open(path, "w") as file:
            json.dump({name: np.round(value, 4).tolist() for name, value in vars(self).items()}, file)

    @classmethod
    def load(cls, path, like):
        with open(path) as file:
            held = json.load(file)
        return cls(*(jnp.asarray(held[name], v.dtype) for name, v in vars(like).items()))


further("P14", "a file with rounded numbers", SavesText, Saved, "save and load made", base=FileLaws)


class Renamed(Saved):
    """Calls its fields by position in the file."""

    def save(self, path):
        with open(path, "wb") as file:
            np.savez(file, *jax.tree.leaves(self)[::-1])

    @classmethod
    def load(cls, path, like):
        with np.load(path) as file:
            return cls(*(jnp.asarray(file[name]) for name in file.files))


further("P14", "leaves that are loaded in another order", Renamed, Saved, "`weight`", base=FileLaws)


# --- Filter specs ---


class ByRank(eqx.Module):
    weight: jax.Array
    bias: jax.Array

    def __call__(self, x):
        return self.weight @ x + self.bias

    def matrices(self):
        return jax.tree.map(lambda leaf: leaf.ndim > 0, self)


class ByPath(ByRank):
    def matrices(self):
        return eqx.tree_at(lambda one: one.weight, jax.tree.map(lambda _: False, self), True)


class RankLaws(Weighted):
    leaves = (Leaf("weight", "param", (3, 2)), Leaf("bias", "param", (3,)))
    filters = {"matrices": ("weight",)}

    def inputs(self, seed):
        return {"weight": sample(seed, (3, 2))}

    def arguments(self, seed):
        return (sample(seed, (2,)),)

    def build(self, weight):
        return self.cls(jnp.array(weight), jnp.zeros(3, weight.dtype))


further("P16", "a mask of the optimiser by rank", ByRank, ByPath, "`matrices`", base=RankLaws)


class NotZero(ByRank):
    def matrices(self):
        return jax.tree.map(lambda leaf: bool(jnp.any(leaf != 0)), self)


further("P16", "a mask of the optimiser by value", NotZero, ByPath, "`matrices`", base=RankLaws)


# --- Train states ---


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
    base=StateLaws,
    survives="no law compares a step with that of optax, and training converges all the same",
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
    base=AverageLaws,
    survives="the law of the average tries a decay of 0.5 alone",
)
further(TRAINED, "an average of the weights before the step", LateAverage, Averaged, base=AverageLaws)


# --- NNX ---


class CounterLaws(nnx_laws.NnxLaws):
    cls: Any = None
    variables = (nnx_laws.Var("scale", nnx.Param, (3,)), nnx_laws.Var("calls", nnx.BatchStat, ()))
    updates = ("calls",)
    returns = (Output((3,)),)

    def build(self, rngs):
        return self.cls(rngs)

    def arguments(self, seed):
        return (sample(seed, (3,)),)

    def call(self, instance, *arguments):
        return instance(*arguments)


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
    survives="no law asks whether the Variables are the same objects after a call",
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
