"""Mistakes in training steps that people make, each as a suite with its right form.

Written before the laws that notice them. Sources: equinox#686, jax#9675, optax's and flax's issues on masks, donation and new optimisers.
"""

import functools
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import optax  # type: ignore[import-untyped]

from pytree_laws import StepLaws
from tests.laws.steps.right import OPTIMISER, Model, State, Steps, advanced, model_of, start

# A counter of Python is a static value of `eqx.filter_jit`, and each step compiles anew.


class PythonCounter(Steps):
    def state(self, seed: int) -> Any:
        return start(seed, step=0)

    step = staticmethod(eqx.filter_jit(advanced))


class ArrayCounter(Steps):
    step = staticmethod(eqx.filter_jit(advanced))


# A rate that is weakly typed after the first step, and was not before.


class WeakRate(Steps):
    def state(self, seed: int) -> Any:
        return start(seed), jnp.asarray(0.5, jnp.float32)

    @staticmethod
    @jax.jit
    def step(state: Any, batch: Any) -> Any:
        after, loss = advanced(state[0], batch)
        return (after, jnp.where(loss > 1e6, 0.1, 0.5)), loss

    frozen = ("0.model.offset",)


class StrongRate(WeakRate):
    @staticmethod
    @jax.jit
    def step(state: Any, batch: Any) -> Any:
        state, rate = state
        after, loss = advanced(state, batch)
        return (after, jnp.where(loss > 1e6, 0.1, 0.5).astype(rate.dtype)), loss


# One buffer is two leaves, and is donated twice.


class SharedAverage(Steps):
    def state(self, seed: int) -> Any:
        state = start(seed)
        return state, state.model

    @staticmethod
    @functools.partial(jax.jit, donate_argnums=0)
    def step(state: Any, batch: Any) -> Any:
        state, average = state
        after, loss = advanced(state, batch)
        average = jax.tree.map(lambda a, m: 0.9 * a + 0.1 * m, average, after.model)
        return (after, average), loss

    frozen = ("0.model.offset",)


class OwnAverage(SharedAverage):
    def state(self, seed: int) -> Any:
        state = start(seed)
        return state, jax.tree.map(jnp.copy, state.model)


# An array of a module is donated with the first state, and is gone for the second.

INITIAL = jnp.array([0.1, 0.2, 0.3])


class SharedStart(Steps):
    def state(self, seed: int) -> Any:
        model = Model(INITIAL, jnp.zeros(()), jnp.ones(()))
        return start(seed, model=model)


class OwnStart(SharedStart):
    def state(self, seed: int) -> Any:
        state = super().state(seed)
        return state._replace(model=jax.tree.map(jnp.copy, state.model))


# The optimiser's state is made anew in each step: momentum is lost.


class FreshMoments(Steps):
    @staticmethod
    @jax.jit
    def step(state: Any, batch: Any) -> Any:
        forgot = state._replace(optimiser=OPTIMISER.init(state.model))
        return advanced(forgot, batch)


# A mask by identity is right for the model that it was made of, and freezes nothing of the next one.

_MADE_OF = model_of(0)


class MaskByIdentity(Steps):
    optimiser = optax.masked(
        optax.adamw(1e-2),
        lambda tree: jax.tree.map(lambda leaf: leaf is not _MADE_OF.offset, tree),
    )

    def state(self, seed: int) -> Any:
        return start(seed, self.optimiser)

    @staticmethod
    @jax.jit
    def step(state: Any, batch: Any) -> Any:
        return advanced(state, batch, MaskByIdentity.optimiser)


# Weight decay moves what has no gradient.


class DecayOfFrozen(Steps):
    optimiser = optax.adamw(1e-2)

    def state(self, seed: int) -> Any:
        return start(seed, self.optimiser)

    @staticmethod
    @jax.jit
    def step(state: Any, batch: Any) -> Any:
        return advanced(state, batch, DecayOfFrozen.optimiser)


# A static part that is new after each step: its functions are no longer those of before.


class NewOptimiser(Steps):
    def state(self, seed: int) -> Any:
        return start(seed), optax.adam(1e-2).update

    @staticmethod
    @eqx.filter_jit
    def step(state: Any, batch: Any) -> Any:
        inner, _ = state
        after, loss = advanced(inner, batch)
        return (after, optax.adam(1e-2).update), loss

    frozen = ("0.model.offset",)


# One key for all steps: the same noise each time.


class OneKey(Steps):
    @staticmethod
    @jax.jit
    def step(state: Any, batch: Any) -> Any:
        after, loss = advanced(state, batch)
        return after._replace(key=state.key), loss


# Another dtype after the first step.


class Widened(Steps):
    def state(self, seed: int) -> Any:
        model = jax.tree.map(lambda a: a.astype(jnp.bfloat16), model_of(seed))
        return start(seed)._replace(model=model, optimiser=OPTIMISER.init(model))

    @staticmethod
    @jax.jit
    def step(state: Any, batch: Any) -> Any:
        after, loss = advanced(state, batch)
        wide = jax.tree.map(lambda a: a.astype(jnp.float32), after.model)
        return after._replace(model=wide), loss


# The data are a constant of the compiled step.

DATA = jnp.ones((4096, 256))


class CapturedData(Steps):
    @staticmethod
    @jax.jit
    def step(state: Any, batch: Any) -> Any:
        after, loss = advanced(state, batch)
        return after, loss + 0.0 * jnp.sum(DATA)


# A print that was left over calls the host in each step.


class LeftOverPrint(Steps):
    @staticmethod
    @jax.jit
    def step(state: Any, batch: Any) -> Any:
        after, loss = advanced(state, batch)
        jax.debug.print("loss {}", loss)
        return after, loss


# The sign of the update.


class Ascends(Steps):
    @staticmethod
    @jax.jit
    def step(state: Any, batch: Any) -> Any:
        after, loss = advanced(state, batch)
        model = jax.tree.map(lambda a, b: 2 * a - b, state.model, after.model)
        return after._replace(model=model), loss


# A function of Python that is new, and is compiled, in each step.


class JitInside(Steps):
    @staticmethod
    def step(state: Any, batch: Any) -> Any:
        return jax.jit(lambda s, b: advanced(s, b))(state, batch)


# A schedule by a variable of Python, which the trace reads once.

_STEPS = [0]


class PythonSchedule(Steps):
    @staticmethod
    @jax.jit
    def traced(state: Any, batch: Any) -> Any:
        after, loss = advanced(state, batch)
        share = 1.0 / (1 + _STEPS[0])
        model = jax.tree.map(lambda a, b: a + share * (b - a), state.model, after.model)
        return after._replace(model=model), loss

    @staticmethod
    def step(state: Any, batch: Any) -> Any:
        _STEPS[0] += 1
        return PythonSchedule.traced(state, batch)


# The batch of the trace is the batch of all steps.


class OneBatch(Steps):
    def step(self, state: Any, batch: Any) -> Any:
        return _on_the_first(state)


@jax.jit
def _on_the_first(state: Any) -> Any:
    return advanced(state, Steps().batch(0))


# A configuration that is compared by identity: a state that was loaded compiles anew.


class Config:
    def __init__(self, rate: float) -> None:
        self.rate = rate


class Configured(eqx.Module):
    state: State
    config: Any = eqx.field(static=True)


class ConfigByIdentity(Steps):
    frozen = ("state.model.offset",)

    def state(self, seed: int) -> Any:
        return Configured(start(seed), Config(0.5))

    @staticmethod
    @eqx.filter_jit
    def step(state: Any, batch: Any) -> Any:
        after, loss = advanced(state.state, batch)
        return Configured(after, state.config), loss


class ConfigByValue(ConfigByIdentity):
    def state(self, seed: int) -> Any:
        return Configured(start(seed), ("rate", 0.5))


MISTAKES: dict[type[StepLaws], tuple[type[StepLaws], str, str]] = {
    PythonCounter: (ArrayCounter, "one_trace", "step"),
    WeakRate: (StrongRate, "fixed_point", "1"),
    SharedAverage: (OwnAverage, "donation", "1.weight"),
    SharedStart: (OwnStart, "donation", "model.weight"),
    FreshMoments: (Steps, "the_state_advances", "optimiser.inner_state.0.count"),
    MaskByIdentity: (Steps, "frozen", "model.offset"),
    DecayOfFrozen: (Steps, "frozen", "model.offset"),
    NewOptimiser: (ArrayCounter, "one_trace", "1"),
    OneKey: (Steps, "the_state_advances", "key"),
    Widened: (Steps, "fixed_point", "model.weight"),
    CapturedData: (Steps, "compiled", "float32[4096,256]"),
    LeftOverPrint: (Steps, "compiled", "step"),
    Ascends: (Steps, "loss_falls", "loss"),
    JitInside: (Steps, "one_trace", "step"),
    PythonSchedule: (Steps, "reproducible", "model.weight"),
    OneBatch: (Steps, "uses_the_batch", "batch"),
    ConfigByIdentity: (ConfigByValue, "one_trace", "Configured.config"),
}
"""By the mistake: its right form, a part of the name of the law that notices it, and what its failure names."""
