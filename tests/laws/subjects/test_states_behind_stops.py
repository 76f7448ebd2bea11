"""States that learn from what a call cuts off itself, and methods that move a state which they do not name."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest
from flax import nnx

from pytree_laws import LawBroken, Leaf, Method, Output, sample
from pytree_laws.nnx import NnxLaws, Var
from pytree_laws.state import StateLaws
from tests.laws.seen_broken import broken, hold


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


def test_gradients_may_end_at_the_state_on_purpose() -> None:
    given = suite(cuts_state=True)
    given.truncated = True
    with pytest.raises(pytest.skip.Exception, match="gradients end at the state on purpose"):
        given.test_p09_gradients_flow_through_the_state()


class Running(nnx.Module):
    """The same in NNX."""

    def __init__(self, cuts: str = "x") -> None:
        self.mean, self.cuts = nnx.BatchStat(jnp.zeros(3)), cuts

    def __call__(self, x: jax.Array) -> jax.Array:
        stop = jax.lax.stop_gradient
        old = stop(self.mean[...]) if self.cuts == "state" else self.mean[...]
        given = stop(jnp.square(x)) if self.cuts == "square" else stop(x) if self.cuts == "x" else x
        self.mean[...] = 0.75 * old + 0.25 * given
        return x - self.mean[...]


class RunningLaws(NnxLaws):
    variables = (Var("mean", nnx.BatchStat, (3,), flows=True),)
    returns = (Output((3,)),)
    updates = ("mean",)
    cuts = "x"

    def build(self, **inputs: Any) -> Running:
        return Running(self.cuts)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3,)),)


FLOW = "p09_gradients_flow_through_data_and_state"


def running(cuts: str, *, truncated: bool = False) -> RunningLaws:
    return type("TestRunning", (RunningLaws,), {"cuts": cuts, "truncated": truncated})()


def test_what_a_call_of_nnx_cuts_off_of_its_arguments_says_nothing_of_the_state() -> None:
    hold(running("x"), FLOW)


@pytest.mark.parametrize("cuts", ["state", "square"])
def test_what_a_call_of_nnx_cuts_off_elsewhere_is_advice_unless_it_is_allowed(cuts: str) -> None:
    assert broken(running(cuts), FLOW).severity == "advice"
    with pytest.raises(pytest.skip.Exception, match="gradients end at what the call updates on purpose"):
        hold(running(cuts, truncated=True), FLOW)


def test_a_method_that_declares_no_update_moves_no_state() -> None:
    suite().test_p12_methods_update_the_states_that_they_declare_alone()
    with pytest.raises(LawBroken, match="it updates `mean`"):
        suite("forgotten").test_p12_methods_update_the_states_that_they_declare_alone()
