"""What training as a whole must do: converge, average, draw, and leave the model alone."""

import functools
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax  # type: ignore[import-untyped]

from ....engine.applicability import not_applicable
from ....engine.registry import Checks
from ....inspect.trees import arrays_of, structure
from ....kinds.train_state import TrainStateSuite, filter_compiled
from ....trace.programs import compiled
from ....values.closeness import close
from ....values.optimisers import OPTIMISERS

CHECKS = Checks()

EPOCHS = 300
SLACK = 1e-3  # of a share, by rounding


def shares_of(before: Any, after: Any, weights: Any) -> np.ndarray:
    """Which share of its former value an average kept, where the weights are far from that."""
    trees = [jax.tree.leaves(tree) for tree in (before, after, weights)]
    old, new, wanted = (
        np.concatenate([np.ravel(np.asarray(v)).astype(np.complex128) for v in leaves]) for leaves in trees
    )
    far = np.abs(old - wanted) > 0.05
    return np.real((new - wanted)[far] / (old - wanted)[far])


@CHECKS.register()
def test_donation(subject: TrainStateSuite) -> None:
    inputs = subject.inputs(0)
    donate = filter_compiled(lambda state: state, donate="all")
    expected = donate(subject.built(inputs))
    for leaf in arrays_of(inputs["model"]):
        assert not leaf.is_deleted(), "donating the train state deleted the model that it was made from: copy"
    again = donate(subject.built(inputs))
    assert close(expected, again), "a second run from the same model differs"


@CHECKS.register()
def test_training_converges(subject: TrainStateSuite) -> None:
    optimiser = optax.adam(0.03)
    target = subject.target(0)
    arrays, rest = eqx.partition(subject.start_with(optimiser), eqx.is_array)

    @compiled
    def train(arrays: Any) -> tuple[Any, Any]:
        def epoch(arrays: Any, _: None) -> tuple[Any, Any]:
            state = eqx.combine(arrays, rest)
            loss, grads = eqx.filter_value_and_grad(subject.loss)(state.model, target)
            # Of a complex weight jax gives the conjugate of the way up, which optax takes as it is.
            after = subject.update(state, optimiser, jax.tree.map(jnp.conj, grads))
            return eqx.filter(after, eqx.is_array), loss

        return jax.lax.scan(epoch, arrays, length=EPOCHS)

    _, losses = train(arrays)
    first, *_, last = np.asarray(losses)
    if first == 0:  # as where what is trained begins at zero, and the target with it
        not_applicable("the model begins at its target: `target` gives another one")
    assert last < subject.converges_to * first, f"after {EPOCHS} steps the loss is {last}, it was {first}"


@CHECKS.register()
def test_the_average_follows_the_weights(subject: TrainStateSuite) -> None:
    optimiser, inputs = optax.sgd(1.0), {**subject.inputs(0), "ema_decay": 0.25}
    if not hasattr(subject.cached_instance(), "averaged"):
        not_applicable("it keeps no average of its weights")
    state = subject.built({**inputs, "optimiser": optimiser})
    weights = functools.partial(eqx.filter, filter_spec=subject.spec(state.model))
    assert close(weights(state.averaged()), weights(state.model)), "the average does not begin at the weights"
    step = filter_compiled(subject.step_of(optimiser))
    after = step(state)
    # The first share may be 0, where it warms up; no later one is.
    for least, before, other in ((-SLACK, state, after), (SLACK, after, step(after))):
        shares = shares_of(*map(weights, (before.averaged(), other.averaged(), other.model)))
        assert shares.size == 0 or (
            np.ptp(shares) < SLACK and least < shares.min() and shares.max() < 0.25 + SLACK
        ), (
            "the average is not decay * average + (1 - decay) * weights, with one decay, "
            f"which may begin below the declared one: it kept {shares}, and the declared share is 0.25"
        )
    same = structure(after.averaged()) == structure(after.model)
    assert same, "the average is no whole model: combine it with what is not trained"


@CHECKS.register()
def test_each_step_has_a_key_of_its_own(subject: TrainStateSuite) -> None:
    optimiser = OPTIMISERS["adamw"]()
    state = subject.start_with(optimiser)
    if not hasattr(state, "step_key"):
        not_applicable("it holds no key")
    after = subject.compiled_step("adamw")(state)
    keys = [jax.random.key_data(train_state.step_key) for train_state in (state, after, state)]
    assert not np.array_equal(keys[0], keys[1]), "two steps have the same key"
    assert np.array_equal(keys[0], keys[2]), "the key of a step is not reproducible"
