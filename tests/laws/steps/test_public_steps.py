"""Laws of a training step on steps of public libraries, as their users call them."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import optax  # type: ignore[import-untyped]
import pytest
from flax import linen, nnx
from flax.training.train_state import TrainState
from flowjax.bijections import Affine
from flowjax.distributions import Normal, Transformed
from flowjax.train.losses import MaximumLikelihoodLoss
from flowjax.train.train_utils import step as flowjax_step

from pytree_laws import StepLaws
from tests.laws.steps.test_steps import findings

ADAM = optax.adam(1e-2)
LOSS = MaximumLikelihoodLoss()


@pytest.mark.slow  # the other steps are tried in every run
class TestFlowjax(StepLaws):
    """Equinox, with the static half outside of the state."""

    def parts(self) -> tuple[Any, Any]:
        flow = Transformed(Normal(jnp.zeros(2)), Affine(jnp.zeros(2), jnp.ones(2)))
        return eqx.partition(flow, eqx.is_inexact_array)

    def state(self, seed: int) -> Any:
        params, _ = self.parts()
        return params, ADAM.init(params)

    def batch(self, seed: int) -> Any:
        return 3 + jax.random.normal(jax.random.key(seed), (16, 2))

    def step(self, state: Any, batch: Any) -> Any:
        _, static = self.parts()
        params, moments, loss = flowjax_step(
            state[0], static, batch, optimizer=ADAM, opt_state=state[1], loss_fn=LOSS
        )
        return (params, moments), loss


class LinenLine(linen.Module):
    """A layer with dropout."""

    @linen.compact
    def __call__(self, x: jax.Array) -> jax.Array:
        return linen.Dropout(0.1, deterministic=False)(linen.Dense(1)(x))[:, 0]


LINE = LinenLine()


def pairs(seed: int) -> tuple[jax.Array, jax.Array]:
    x = jax.random.normal(jax.random.key(seed), (16, 3))
    return x, x @ jnp.array([1.0, -2.0, 0.5])


@jax.jit
def linen_step(state: TrainState, batch: Any) -> tuple[TrainState, jax.Array]:
    key = jax.random.fold_in(jax.random.key(1), state.step)

    def loss_of(params: Any) -> jax.Array:
        predicted = state.apply_fn({"params": params}, batch[0], rngs={"dropout": key})
        return jnp.mean((predicted - batch[1]) ** 2)

    loss, grads = jax.value_and_grad(loss_of)(state.params)
    return state.apply_gradients(grads=grads), loss


class TestTrainStateOfFlax(StepLaws):
    """`flax.training.train_state`, with a key that is folded with the number of the step."""

    def state(self, seed: int) -> Any:
        params = LINE.init(jax.random.key(seed), jnp.ones((1, 3)))["params"]
        return TrainState.create(apply_fn=LINE.apply, params=params, tx=ADAM)

    def batch(self, seed: int) -> Any:
        return pairs(seed)

    def step(self, state: Any, batch: Any) -> Any:
        return linen_step(state, batch)


@nnx.jit
def nnx_step(model: nnx.Module, optimiser: nnx.Optimizer, metrics: nnx.MultiMetric, batch: Any) -> jax.Array:
    def loss_of(model: Any) -> jax.Array:
        return jnp.mean((model(batch[0])[:, 0] - batch[1]) ** 2)

    loss, grads = nnx.value_and_grad(loss_of)(model)
    metrics.update(loss=loss)
    optimiser.update(model, grads)
    return loss


class TestNnxWithMetrics(StepLaws):
    """NNX, with a batch norm, metrics, and objects that the step changes in place."""

    def state(self, seed: int) -> Any:
        rngs = nnx.Rngs(seed)
        layers = nnx.Linear(3, 4, rngs=rngs), nnx.BatchNorm(4, rngs=rngs), nnx.Linear(4, 1, rngs=rngs)
        model = nnx.Sequential(*layers)
        metrics = nnx.MultiMetric(loss=nnx.metrics.Average("loss"))
        return model, nnx.Optimizer(model, ADAM, wrt=nnx.Param), metrics

    def batch(self, seed: int) -> Any:
        return pairs(seed)

    def step(self, state: Any, batch: Any) -> Any:
        return state, nnx_step(*state, batch)


@jax.jit
def centred_step(state: Any, batch: Any) -> Any:
    params, moments = state

    def loss_of(params: Any) -> jax.Array:
        hidden = batch[0] @ params["weight"] + params["bias"]
        hidden = (hidden - hidden.mean(0)) / jnp.sqrt(hidden.var(0) + 1e-5)
        return jnp.mean((hidden.sum(1) - batch[1]) ** 2)

    loss, grads = jax.value_and_grad(loss_of)(params)
    updates, moments = ADAM.update(grads, moments, params)
    return (optax.apply_updates(params, updates), moments), loss


class TestBelowANorm(StepLaws):
    """A bias below a norm, whose gradient is zero but for rounding: Adam makes a whole step of it."""

    def state(self, seed: int) -> Any:
        params = {"weight": jax.random.normal(jax.random.key(seed), (3, 4)), "bias": jnp.zeros(4)}
        return params, ADAM.init(params)

    def batch(self, seed: int) -> Any:
        return pairs(seed)

    def step(self, state: Any, batch: Any) -> Any:
        return centred_step(state, batch)


LBFGS = optax.lbfgs(linesearch=optax.scale_by_zoom_linesearch(max_linesearch_steps=5))


def loss_of_plain(params: Any, batch: Any) -> jax.Array:
    return jnp.mean((batch[0] @ params["weight"] + params["bias"] - batch[1]) ** 2)


@jax.jit
def lbfgs_step(state: Any, batch: Any) -> Any:
    params, moments = state

    def loss_of(params: Any) -> jax.Array:
        return loss_of_plain(params, batch)

    loss, grads = jax.value_and_grad(loss_of)(params)
    updates, moments = LBFGS.update(grads, moments, params, value=loss, grad=grads, value_fn=loss_of)
    return (optax.apply_updates(params, updates), moments), loss


class PlainLbfgs(StepLaws):
    """Plain functions and an optimiser of optax with a line search, which has faults of its own."""

    def state(self, seed: int) -> Any:
        params = {"weight": jnp.ones(3), "bias": jnp.zeros(())}
        return params, LBFGS.init(params)

    def batch(self, seed: int) -> Any:
        return pairs(seed)

    def step(self, state: Any, batch: Any) -> Any:
        return lbfgs_step(state, batch)


@pytest.mark.slow
def test_what_the_line_search_of_optax_breaks() -> None:
    """A weak type that is lost, two zeros in one buffer, and a gradient that this step leaves unread."""
    places = {name: broken.finding.where for name, broken in findings(PlainLbfgs)}
    assert places == {
        "test_s2_the_state_is_a_fixed_point": "1.2.info.num_linesearch_steps",
        "test_s4_donation": "1.0.diff_updates_memory.bias",
        "test_s6_the_state_advances": "1.2.grad.weight",
    }


def test_jax_refuses_to_donate_the_state_of_the_line_search() -> None:
    state = LBFGS.init({"weight": jnp.ones(3)})
    with pytest.raises(Exception, match="donate the same buffer twice"):
        jax.jit(lambda state: jax.tree.map(jnp.sin, state), donate_argnums=0)(state)
