"""States that a method gives, and another takes: one may hold nothing, and its class says what it is."""

import pytest

from tests.adopt.asking import Asked, asked_of

SOURCE = '''
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp


class State(NamedTuple):
    """What a transformation keeps: that of one which remembers nothing has no leaves."""

    inner: Any


class Nothing(NamedTuple):
    pass


class Decay(eqx.Module):
    """A transformation of gradients without a memory."""

    rate: jax.Array

    def init(self, parameters: jax.Array) -> State:
        return State(Nothing())

    def update(self, gradient: jax.Array, state: State, parameters: jax.Array) -> tuple[jax.Array, State]:
        assert isinstance(state.inner, Nothing)
        return gradient + self.rate * parameters, state


class Trace(Decay):
    """One with a memory."""

    def init(self, parameters: jax.Array) -> State:
        return State(jnp.zeros_like(parameters))

    def update(self, gradient: jax.Array, state: State, parameters: jax.Array) -> tuple[jax.Array, State]:
        after = gradient + self.rate * state.inner
        return after, State(after)
'''
asked = asked_of("stateful", SOURCE)


@pytest.mark.spread(5)
@pytest.mark.parametrize("name", ["Decay", "Trace"])
def test_a_state_is_the_one_that_its_class_gives(asked: Asked, name: str) -> None:
    answer = asked.adopt(name)
    arguments = {argument: text for argument, text, _ in answer["arguments"]}
    assert arguments["state"].startswith("self.make(seed).init(sample(seed, ")
