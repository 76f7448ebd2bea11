"""Mistakes in training steps of Flax NNX, whose objects are changed in place, each with its right form."""

from typing import Any

import jax
import jax.numpy as jnp
import optax  # type: ignore[import-untyped]
from flax import nnx

from pytree_laws import StepLaws
from tests.laws.steps.right import Steps


class NnxLine(nnx.Module):
    def __init__(self, *, rngs: nnx.Rngs) -> None:
        self.linear = nnx.Linear(3, 1, rngs=rngs)
        self.dropout = nnx.Dropout(0.1, rngs=rngs)
        self.calls = nnx.BatchStat(jnp.zeros((), jnp.int32))

    def __call__(self, x: jax.Array) -> jax.Array:
        self.calls[...] += 1
        return self.dropout(self.linear(x))[:, 0]


@nnx.jit
def nnx_step(model: NnxLine, optimiser: nnx.Optimizer, batch: Any) -> jax.Array:
    def loss_of(model: NnxLine) -> jax.Array:
        return jnp.mean((model(batch[0]) - batch[1]) ** 2)

    loss, grads = nnx.value_and_grad(loss_of)(model)
    optimiser.update(model, grads)
    return loss


class NnxSteps(Steps):
    """A step of NNX, which changes its objects in place."""

    frozen = ()
    optimiser = optax.adam(1e-2)

    def state(self, seed: int) -> Any:
        model = NnxLine(rngs=nnx.Rngs(seed))
        return model, nnx.Optimizer(model, self.optimiser, wrt=nnx.Param)

    def step(self, state: Any, batch: Any) -> Any:
        model, optimiser = state
        return state, nnx_step(model, optimiser, batch)


class NnxOptimiser(NnxSteps):
    """Its optimiser is new with each state, so that a state which was loaded compiles anew."""

    @property
    def optimiser(self) -> Any:
        return optax.adam(1e-2)


class NnxEval(NnxSteps):
    """Its dropout draws from a stream that each step begins anew."""

    def step(self, state: Any, batch: Any) -> Any:
        model, optimiser = state
        nnx.reseed(model, default=0)
        return state, nnx_step(model, optimiser, batch)


class NnxWidened(NnxSteps):
    """Its parameters are cast to another dtype by the step."""

    def step(self, state: Any, batch: Any) -> Any:
        model, optimiser = state
        loss = nnx_step(model, optimiser, batch)
        model.linear.bias = nnx.Param(model.linear.bias[...].astype(jnp.float16))
        return state, loss


NNX_MISTAKES: dict[type[StepLaws], tuple[type[StepLaws], str, str]] = {
    NnxOptimiser: (NnxSteps, "one_trace", "1.tx"),
    NnxEval: (NnxSteps, "the_state_advances", "0.dropout.rngs.count"),
    NnxWidened: (NnxSteps, "fixed_point", "0.linear.bias"),
}
