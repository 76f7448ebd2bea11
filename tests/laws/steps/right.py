"""A right training step: a line with noise, a frozen leaf, AdamW, a counter and a key."""

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import optax  # type: ignore[import-untyped]

from pytree_laws import StepLaws


class Model(eqx.Module):
    """A line with noise on its inputs."""

    weight: jax.Array
    bias: jax.Array
    offset: jax.Array  # frozen

    def __call__(self, x: jax.Array, key: jax.Array | None = None) -> jax.Array:
        noise = 0.0 if key is None else 0.01 * jax.random.normal(key, x.shape)
        return (x + noise) @ self.weight + self.bias + self.offset


class State(NamedTuple):
    model: Any
    optimiser: Any
    step: Any
    key: Any


def spec(model: Model) -> Any:
    """The filter spec: all but `offset`."""
    return eqx.tree_at(lambda m: m.offset, jax.tree.map(lambda _: True, model), False)


OPTIMISER = optax.masked(optax.adamw(1e-2), spec)


def model_of(seed: int) -> Model:
    drawn = jax.random.normal(jax.random.key(seed), (3,))
    return Model(drawn, jnp.zeros(()), jnp.ones(()))


def start(seed: int, optimiser: Any = OPTIMISER, **changes: Any) -> State:
    model = model_of(seed)
    state = State(model, optimiser.init(model), jnp.zeros((), jnp.int32), jax.random.key(seed))
    return state._replace(**changes)


def loss_of(model: Any, batch: Any, key: Any = None) -> jax.Array:
    x, y = batch
    return jnp.mean((model(x, key) - y) ** 2)


def advanced(state: State, batch: Any, optimiser: Any = OPTIMISER) -> tuple[State, jax.Array]:
    """The right step."""
    key, own = jax.random.split(state.key)
    loss, grads = jax.value_and_grad(loss_of)(state.model, batch, own)
    grads = eqx.tree_at(lambda m: m.offset, grads, jnp.zeros(()))
    updates, moments = optimiser.update(grads, state.optimiser, state.model)
    model = optax.apply_updates(state.model, updates)
    return State(model, moments, state.step + 1, key), loss


class Steps(StepLaws):
    """What the suites share: a line, two batches, and which leaf is frozen."""

    frozen = ("model.offset",)

    def state(self, seed: int) -> Any:
        return start(seed)

    def batch(self, seed: int) -> Any:
        x = jax.random.normal(jax.random.key(100 + seed), (16, 3))
        return x, x @ jnp.array([1.0, -2.0, 0.5]) + 0.3

    step = staticmethod(jax.jit(advanced, donate_argnums=0))


class PlainSteps(Steps):
    """A dict of arrays, a rate, and a step without any library."""

    frozen = ()

    def state(self, seed: int) -> Any:
        return {"weight": jnp.ones(3), "bias": jnp.zeros(()), "rate": jnp.asarray(0.01)}

    @staticmethod
    def step(state: Any, batch: Any) -> Any:
        def loss_of(weight: Any, bias: Any) -> jax.Array:
            return jnp.mean((batch[0] @ weight + bias - batch[1]) ** 2)

        slopes = jax.grad(loss_of, (0, 1))(state["weight"], state["bias"])
        grads = dict(zip(("weight", "bias"), slopes, strict=True))
        moved = {n: state[n] - state["rate"] * g for n, g in grads.items()}
        return {**state, **moved}
