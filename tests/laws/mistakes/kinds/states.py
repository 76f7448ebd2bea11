"""Mistakes with `equinox.nn.State` that are in no catalogue, each with the form that is right."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from harness.pairs import further
from harness.stateful import MadeWithState
from right.specimens import Leaf, Output, sample

from pytree_laws import Method


class Mean(eqx.Module):
    """A right layer: it subtracts a running mean, which is state."""

    mean: eqx.nn.StateIndex
    gain: jax.Array

    @classmethod
    def create(cls, gain):
        return cls(eqx.nn.StateIndex(jnp.zeros(gain.shape, gain.dtype)), jnp.array(gain))

    def next_mean(self, x, state):
        return 0.9 * state.get(self.mean) + 0.1 * x

    def __call__(self, x, state):
        mean = self.next_mean(x, state)
        return self.gain * (x - mean), state.set(self.mean, mean)


class MeanLaws(MadeWithState):
    leaves = (Leaf("gain", "param", (3,)),)
    states = (Leaf("mean", "state", (3,)),)
    returns = (Output((3,)), Output((3,)))

    def inputs(self, seed):
        return {"gain": sample(seed, (3,))}

    def call(self, instance, *arguments):
        return instance(*arguments)


def wrong(law, title, broken, *words, base=MeanLaws, **declared):
    further(law, title, broken, Mean, *words, base=base, **declared)


class Spectral(Mean):
    """A right layer: it divides by an estimate of its own size, of which nothing is learnt."""

    def next_mean(self, x, state):
        return super().next_mean(x, state) * jax.lax.stop_gradient(self.gain)


class SpectralOfCut(Spectral):
    """The estimate itself is cut off, with what is learnt through it."""

    def next_mean(self, x, state):
        return jax.lax.stop_gradient(super().next_mean(x, state))


further(
    "P9",
    "`stop_gradient` on what a state is assigned, where a parameter is cut off as it is read",
    SpectralOfCut,
    Spectral,
    "small steps show the slope",
    base=MeanLaws,
)


class Stateless(Mean):
    """Returns the result alone."""

    def __call__(self, x, state):
        return super().__call__(x, state)[0]


class TwoStates(Mean):
    """Counts the calls in a second state, which is not declared."""

    calls: eqx.nn.StateIndex

    @classmethod
    def create(cls, gain):
        mean = eqx.nn.StateIndex(jnp.zeros(gain.shape, gain.dtype))
        return cls(mean, jnp.array(gain), eqx.nn.StateIndex(jnp.zeros((), jnp.int32)))


class HalfPrecision(Mean):
    """Begins with a state of half precision."""

    @classmethod
    def create(cls, gain):
        return cls(eqx.nn.StateIndex(jnp.zeros(gain.shape, jnp.float16)), jnp.array(gain))

    def next_mean(self, x, state):
        return super().next_mean(x, state).astype(jnp.float16)


class NumPyNoise(Mean):
    """Adds noise of NumPy to the state."""

    def next_mean(self, x, state):
        noise = np.random.default_rng().standard_normal(x.shape)
        return super().next_mean(x, state) + jnp.asarray(noise, x.dtype)


class LooksAtValues(Mean):
    """Updates the state where the input is large."""

    def __call__(self, x, state):
        return super().__call__(x, state) if jnp.sum(x) > 0 else (self.gain * x, state)


class CutOffAsItIsRead(Mean):
    """Its result does not learn from the states before."""

    def next_mean(self, x, state):
        return 0.9 * jax.lax.stop_gradient(state.get(self.mean)) + 0.1 * x


class CutOffAsItIsAssigned(Mean):
    """Takes its next state for a constant, though it was made from the input."""

    def next_mean(self, x, state):
        return jax.lax.stop_gradient(super().next_mean(x, state))


class SeedInTheLayer(Mean):
    """Keeps, as static, a seed that is new in each layer."""

    seed: int = eqx.field(static=True)

    @classmethod
    def create(cls, gain):
        return cls(*Mean.create.__func__(Mean, gain).__dict__.values(), int(np.random.randint(10**9)))


class NamedByHand(Mean):
    """Has a name among its leaves, which no file holds."""

    name: str

    @classmethod
    def create(cls, gain):
        mean = eqx.nn.StateIndex(jnp.zeros(gain.shape, gain.dtype))
        return cls(mean, jnp.array(gain), f"a layer of gain {float(jnp.sum(gain))}")


wrong("P11", "a call that forgets to return its state", Stateless, "no state as its last part")
wrong("P2", "a state that is not declared", TwoStates, "2 states, declared are ['mean']")
wrong("P2", "a state of half precision", HalfPrecision, "the dtype is float16, declared is float")
wrong("P10", "noise of NumPy in a state, under vmap", NumPyNoise, "at `state`", "vmap gives")
wrong("P11", "noise of NumPy in a state, in a scan", NumPyNoise, "argument 1", "scan gives")
wrong("P12", "noise of NumPy in a state", NumPyNoise, "the same call gave the state")
wrong(
    "P11",
    "a state that is updated where a value is large",
    LooksAtValues,
    "the call for its next state raised",
)
SHOWN = ("at `state`", "small steps show the slope", "`jax.lax.stop_gradient` on what a state was assigned")
wrong("P9", "a state whose gradient is cut off where it is read", CutOffAsItIsRead, *SHOWN)
wrong("P9", "a state whose gradient is cut off where it is assigned", CutOffAsItIsAssigned, *SHOWN)
wrong("P14", "a static seed in a layer with state", SeedInTheLayer, "the structure became")
wrong("P14", "a name among the leaves of a layer with state", NamedByHand, "it was 'a layer")


class Batched(Mean):
    """Is mapped over a batch together with its state."""


class BatchLaws(MeanLaws):
    returns = (Output((4, 3)), Output((3,)))

    def arguments(self, seed):
        return sample(seed + 3, (4, 3)), self.state(seed)

    def call(self, instance, x, state):
        out = 0 if self.cls is Batched else None
        result, state = jax.vmap(instance, (0, None), (0, 0))(x, state)
        mean = jax.tree.map(lambda leaf: leaf.mean(0), state)
        return result, state if out == 0 else mean


class MarkersOfTheirOwn(Mean):
    """Its state is made beside the model, and each has a marker of its own."""


class MarkerLaws(MeanLaws):
    def made(self, inputs):
        if self.cls is not MarkersOfTheirOwn:
            return super().made(inputs)
        model = self.cls.create(**inputs)
        return eqx.nn.delete_init_state(model), eqx.nn.State(model)


further("P11", "a state that is mapped over a batch", Batched, Mean, "the next state is", base=BatchLaws)
further(
    "P5",
    "a state that is made without `make_with_state`",
    MarkersOfTheirOwn,
    Mean,
    "two instances have the states",
    "eqx.nn.make_with_state",
    base=MarkerLaws,
)


class NoExampleState(Mean):
    """Its suite gives the call no state."""


class NoStateLaws(MeanLaws):
    def arguments(self, seed):
        state = () if self.cls is NoExampleState else (self.state(seed),)
        return sample(seed + 3, (3,)), *state

    def call(self, instance, x, *state):
        return instance(x, *(state or (self.state(0),)))


further(
    "P11",
    "example arguments without the state",
    NoExampleState,
    Mean,
    "0 of the example arguments",
    base=NoStateLaws,
)


class OneForAll(Mean):
    """One mean for all entries."""

    @classmethod
    def create(cls, gain):
        return cls(eqx.nn.StateIndex(jnp.zeros((), gain.dtype)), jnp.array(gain))

    def next_mean(self, x, state):
        return super().next_mean(jnp.mean(x), state)


class WeakStart(Mean):
    @classmethod
    def create(cls, gain):
        return cls(eqx.nn.StateIndex(jnp.full(gain.shape, 0.0)), jnp.array(gain))


wrong("P2", "a state of another shape", OneForAll, "the shape is (), declared is (3,)")
wrong("P5", "a weakly typed state", WeakStart, "it is weakly typed")


class Begins(Mean):
    """Its mean begins at one, and at zero is declared."""

    @classmethod
    def create(cls, gain):
        return cls(eqx.nn.StateIndex(jnp.ones(gain.shape, gain.dtype)), jnp.array(gain))


class ZeroLaws(MeanLaws):
    states = (Leaf("mean", "state", (3,), value=0),)


wrong("P2", "a state that begins elsewhere", Begins, "at `mean`: it begins as", base=ZeroLaws)


class Updating(Mean):
    """A right layer, with a method that updates its mean."""

    def update(self, x, state):
        mean = self.next_mean(x, state)
        return mean, state.set(self.mean, mean)


class UpdatingCutOff(Updating):
    """What the method writes is cut off."""

    def update(self, x, state):
        mean = self.next_mean(x, state)
        return mean, state.set(self.mean, jax.lax.stop_gradient(mean))


def two_of_three(seed):
    return (sample(seed + 5, (3,)),)


class UpdatingLaws(MeanLaws):
    methods = (
        Method("update", two_of_three, returns=(Output((3,)), Output((3,))), state_at=1, updates=("mean",)),
    )


further("P9", "`stop_gradient` on the state that a method writes", UpdatingCutOff, Updating,
    "`update`", base=UpdatingLaws)  # fmt: skip


class Switched(Mean):
    """A right layer: at inference its mean stays."""

    inference: bool

    @classmethod
    def create(cls, gain):
        return cls(eqx.nn.StateIndex(jnp.zeros(gain.shape, gain.dtype)), jnp.array(gain), False)

    def is_kept(self, x):
        return self.inference

    def next_mean(self, x, state):
        return state.get(self.mean) if self.is_kept(x) else super().next_mean(x, state)


class SwitchedBySize(Switched):
    def is_kept(self, x):
        return self.inference and x.shape[0] > 3


class SwitchedLaws(MeanLaws):
    leaves = (Leaf("gain", "param", (3,)), Leaf("inference", "python", value=False))


further("P12", "a state that is updated at inference", SwitchedBySize, Switched,
    "`eqx.nn.inference_mode` of it updates the state", base=SwitchedLaws)  # fmt: skip


class Scaled(Mean):
    """A right layer, with a method that divides by the size of its mean."""

    def relative(self, x, state):
        return x / (jnp.abs(state.get(self.mean)) + 1e-3), state


class ScaledByNothing(Scaled):
    def relative(self, x, state):
        mean = state.get(self.mean)
        return x * mean / jnp.abs(mean), state


class ScaledLaws(MeanLaws):
    methods = (Method("relative", two_of_three, returns=(Output((3,)), Output((3,))), state_at=1),)


further("P7", "a method that divides by a state which begins as 0", ScaledByNothing, Scaled,
    "`relative`: with the state that a new instance has it gives NaN", base=ScaledLaws)  # fmt: skip
