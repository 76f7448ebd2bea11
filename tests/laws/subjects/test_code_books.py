"""State of NNX that is stored behind `stop_gradient`, as the codes of a quantiser: its author says that nothing flows through it."""

from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx

from pytree_laws import Output, sample
from pytree_laws.nnx import NnxLaws, Var
from tests.laws.seen_broken import broken, hold

stop = jax.lax.stop_gradient
FLOW = "p09_gradients_flow_through_data_and_state"


class Quantiser(nnx.Module):
    def __init__(self):
        self.scale = nnx.Param(jnp.ones(3))
        self.codes = nnx.BatchStat(jnp.eye(3)[:2])

    def __call__(self, x):
        z = x * self.scale[...]
        self.codes[...] = stop(0.9 * self.codes[...] + 0.1 * jnp.mean(z, axis=0))
        nearest = jnp.argmin(jnp.sum((z[:, None] - self.codes[...]) ** 2, axis=-1), axis=-1)
        return z + stop(self.codes[...][nearest] - z)


class CutsOff(Quantiser):
    def __call__(self, x):
        return stop(super().__call__(x))


class QuantiserLaws(NnxLaws):
    variables = (Var("scale", nnx.Param, (3,)), Var("codes", nnx.BatchStat, (2, 3), flows=True))
    returns = (Output((5, 3)),)
    updates = ("codes",)
    under_test = Quantiser

    def build(self, **inputs: Any) -> Any:
        return self.under_test()

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (5, 3)),)


class CutOffLaws(QuantiserLaws):
    under_test = CutsOff


def test_state_that_is_stored_behind_stop_gradient_is_right() -> None:
    hold(QuantiserLaws(), FLOW)


def test_a_result_behind_stop_gradient_is_told() -> None:
    assert "small steps show the slope" in broken(CutOffLaws(), FLOW).what
