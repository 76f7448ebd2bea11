"""Calls of NNX whose first output depends on nothing that they are given: what they update is for the next one."""

from typing import Any

import jax
import jax.numpy as jnp
import pytest
from flax import nnx
from harness.runner import run

from pytree_laws import Output, sample
from pytree_laws.nnx import NnxLaws, Var
from tests.laws.seen_broken import broken


class Delay(nnx.Module):
    """It gives what it was given two calls ago, scaled."""

    kind: type[nnx.Variable[Any]] = nnx.Cache

    def __init__(self) -> None:
        self.line, self.position = self.kind(jnp.zeros((2, 3))), nnx.Cache(jnp.zeros((), jnp.int32))
        self.gain = nnx.Param(jnp.ones(3))

    def __call__(self, x: jax.Array) -> jax.Array:
        old = self.line[self.position[...]]
        self.line[...] = self.line[...].at[self.position[...]].set(self.kept(x))
        self.position[...] = (self.position[...] + 1) % 2
        return old

    def kept(self, x: jax.Array) -> jax.Array:
        return self.gain * x


class Deaf(nnx.Module):
    """It goes on by itself, whatever it is given."""

    kind = nnx.Cache

    def __init__(self) -> None:
        self.line, self.position = nnx.Cache(jnp.zeros((2, 3))), nnx.Cache(jnp.zeros((), jnp.int32))
        self.gain = nnx.Param(jnp.ones(3))

    def __call__(self, x: jax.Array) -> jax.Array:
        self.line[...] = self.line[...] + self.gain
        self.position[...] = self.position[...] + 1
        return self.line[0]


class Plain(Delay):
    def kept(self, x: jax.Array) -> jax.Array:
        return 0.5 * x


class Lossy(Delay):
    def kept(self, x: jax.Array) -> jax.Array:
        self.line[...].at[0].set(x)
        return self.gain * x


class Stopped(Delay):
    def kept(self, x: jax.Array) -> jax.Array:
        return jax.lax.stop_gradient(self.gain) * x


class Watched(Delay):
    """A statistic, with which no call computes."""

    kind = nnx.BatchStat


class Held(nnx.Module):
    def __init__(self, delay: Delay) -> None:
        self.delay = delay

    def __call__(self, x: jax.Array) -> jax.Array:
        return x + self.delay(x)


class DelayLaws(NnxLaws):
    module: Any = Delay
    returns = (Output((3,)),)
    updates = ("line", "position")

    @property
    def variables(self) -> tuple[Var, ...]:
        line = Var("line", self.module.kind, (2, 3), value=0.0, flows=True)
        return line, Var("position", nnx.Cache, (), "int32", value=0), Var("gain", nnx.Param, (3,), value=1.0)

    def build(self, **inputs: Any) -> Any:
        return self.module()

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3,)),)


class HeldLaws(DelayLaws):
    updates = ()
    variables = (Var("delay", nnx.Module),)

    def build(self, **inputs: Any) -> Any:
        return Held(self.module())


@pytest.mark.parametrize("suite", [DelayLaws, HeldLaws])
def test_what_a_call_updates_for_the_next_one_is_an_output_of_it(suite: type[DelayLaws]) -> None:
    outcome = run(suite)
    assert not outcome, outcome


@pytest.mark.parametrize(
    "suite, module, test, words",
    [
        (DelayLaws, Deaf, "p08_every_argument_matters", "nothing that it returns or updates depends on it"),
        (DelayLaws, Plain, "p08_every_parameter_changes_the_output", "`gain`"),
        (DelayLaws, Watched, "p08_every_parameter_changes_the_output", "`gain`"),
        (DelayLaws, Stopped, "p09_gradients_reach_the_params_and_nothing_else", "`gain`"),
        (DelayLaws, Lossy, "p12_throws_no_update_away_in_each_configuration", "set(x)"),
        (HeldLaws, Plain, "p09_every_sub_module_has_a_gradient", "`delay`"),
        (HeldLaws, Watched, "p09_every_param_of_a_sub_module_has_a_gradient", "`delay.gain`"),
    ],
)
def test_what_not_even_the_next_call_depends_on_is_told(
    suite: type[DelayLaws], module: type[nnx.Module], test: str, words: str
) -> None:
    fault = broken(type("TestDelay", (suite,), {"module": module})(), test)
    assert words in str(fault)
