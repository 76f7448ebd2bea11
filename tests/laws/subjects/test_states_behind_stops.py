"""States that learn from what a call cuts off itself, and methods that move a state which they do not name."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from pytree_laws import LawBroken, Leaf, Method, Output, sample
from pytree_laws.state import StateLaws


class Centre(eqx.Module):
    """A mean of what came so far, which no gradient reaches by what it learns from."""

    mean: eqx.nn.StateIndex
    cuts_state: bool = eqx.field(static=True)

    def __init__(self, cuts_state: bool = False) -> None:
        self.mean, self.cuts_state = eqx.nn.StateIndex(jnp.zeros(3)), cuts_state

    def __call__(self, x: jax.Array, state: eqx.nn.State) -> tuple[jax.Array, eqx.nn.State]:
        mean = state.get(self.mean)
        z, given = x - mean, jax.lax.stop_gradient(x)
        mean = mean + 0.25 * (given - mean)
        return z, state.set(self.mean, jax.lax.stop_gradient(mean) if self.cuts_state else mean)

    def outlook(self, x: jax.Array, state: eqx.nn.State) -> tuple[jax.Array, eqx.nn.State]:
        return state.get(self.mean) + x, state

    def forgotten(self, x: jax.Array, state: eqx.nn.State) -> tuple[jax.Array, eqx.nn.State]:
        return state.get(self.mean) + x, state.set(self.mean, x)


class CentreLaws(StateLaws):
    cuts_state = False
    leaves = ()
    states = (Leaf("mean", "state", (3,)),)

    def build(self, seed: int) -> Any:
        return eqx.nn.make_with_state(Centre)(self.cuts_state)[0]

    def state(self, seed: int) -> Any:
        return eqx.nn.make_with_state(Centre)(self.cuts_state)[1]

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return sample(seed, (3,)), self.state(seed)


def suite(method: str = "outlook", *, cuts_state: bool = False) -> CentreLaws:
    given = Method(
        method, lambda seed: (sample(seed, (3,)),), state_at=1, returns=(Output((3,)), Output((3,)))
    )
    return type("TestCentre", (CentreLaws,), {"methods": (given,), "cuts_state": cuts_state})()


def test_what_a_call_cuts_off_of_its_arguments_says_nothing_of_the_state() -> None:
    suite().test_p09_gradients_flow_through_the_state()
    with pytest.raises(LawBroken, match="small steps show the slope"):
        suite(cuts_state=True).test_p09_gradients_flow_through_the_state()


def test_a_method_that_declares_no_update_moves_no_state() -> None:
    suite().test_p12_methods_update_the_states_that_they_declare_alone()
    with pytest.raises(LawBroken, match="it updates `mean`"):
        suite("forgotten").test_p12_methods_update_the_states_that_they_declare_alone()
