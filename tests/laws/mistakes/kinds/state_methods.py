"""Mistakes in methods of a Module with several states."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
from harness.pairs import further
from right.specimens import Leaf, sample

from mistakes.kinds.states import Mean, MeanLaws, Updating, UpdatingLaws
from pytree_laws import Method


class Tank(eqx.Module):
    """Water, and how much of it has run off."""

    level: eqx.nn.StateIndex
    lost: eqx.nn.StateIndex
    gain: jax.Array

    @classmethod
    def create(cls, gain):
        begin = (jnp.zeros(gain.shape, gain.dtype) for _ in range(2))
        return cls(*map(eqx.nn.StateIndex, begin), jnp.array(gain))

    def __call__(self, x, state):
        level = state.get(self.level) + self.gain * x
        state = state.set(self.level, 0.9 * level)
        return level, state.set(self.lost, state.get(self.lost) + 0.1 * level)

    def rained(self, x, state):
        return x, state.set(self.level, state.get(self.level) + x)


class TankOfTheOther(Tank):
    def rained(self, x, state):
        return x, state.set(self.lost, state.get(self.level) + x)


class TankLaws(MeanLaws):
    states = (Leaf("level", "state", (3,)), Leaf("lost", "state", (3,)))
    methods = (Method("rained", lambda seed: (sample(seed + 5, (3,)),), state_at=1, updates=("level",)),)
    returns = ()


further("P12", "a method that updates another state", TankOfTheOther, Tank,
    "`rained`: it updates `lost`", base=TankLaws)  # fmt: skip


class Telling(Updating):
    def update(self, x, state):
        return self.next_mean(x, state), state


class KeepingLaws(UpdatingLaws):
    methods = (dataclasses.replace(UpdatingLaws.methods[0], updates=("mean",)),)


further("P12", "a state that a method tells and does not keep", Telling, Updating,
    "`update`: it leaves `mean` as it was", base=KeepingLaws)  # fmt: skip


class Parting(Mean):
    def __call__(self, x, state):
        given, after = super().__call__(x, state)
        return given, after.substate(self.gain)


further("P11", "a part of the state in the place of all", Parting, Mean,
    "the next state has another structure", base=MeanLaws)  # fmt: skip
