"""T2: training as a whole must converge, average, draw, and leave the model alone."""

import functools
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax  # type: ignore[import-untyped]

from ....engine.applicability import has_helper_named, need
from ....engine.registry import Checks
from ....inspect.trees import named_leaves, structure
from ....kinds.train_state import TrainStateSuite, filter_compiled
from ....report import Law, check
from ....trace.programs import compiled
from ....values.closeness import check_close, close
from ....values.optimisers import OPTIMISERS

LAW = Law(
    number="T2",
    name="training",
    statement="Training lowers the loss, leaves the model alone that it began with, draws from another key in each step, and averages the weights as they are after each step, with the declared share.",
    protects="A run that does not learn, cannot be resumed or repeated, or is evaluated on a running average (EMA) of weights that is not that of its own steps.",
    mistake="The state shares arrays with the model that it was made from, the key does not depend on the step, or the average takes other weights or other shares.",
    fix="Copy the model in the factory, `fold_in` the step into the key, and average `decay * average + (1 - decay) * weights` after the weights have moved.",
    rests_on=("test_the_update_is_a_fixed_point",),
)
CHECKS = Checks(LAW)

AVERAGES = has_helper_named("averaged", "it keeps no average of its weights")
EPOCHS = 300
SLACK = 1e-3  # of a share, by rounding


def shares_of(before: Any, after: Any, weights: Any) -> np.ndarray:
    """Return the share of its former value that an average keeps, where the weights are far from that."""
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
    for name, leaf in named_leaves(inputs):
        message = "donating the train state deleted this array, which it was given"
        gone = isinstance(leaf, jax.Array) and leaf.is_deleted()
        check(not gone, name, message, "`jnp.array(leaf)` for each array that is given")
    again = donate(subject.built(inputs))
    message = "a second run from the same model begins with other values"
    check(close(expected, again), "build", message, "randomness that no key rules, in the factory")


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
    need(first != 0, "the model begins at its target: `target` gives another one")
    share = subject.converges_to
    message = f"after {EPOCHS} steps of Adam the loss is {last}, it was {first}, expected is less than {share} of that"
    hint = "an update that is lost or has the wrong sign; `converges_to` declares another share"
    check(bool(last < share * first), "model", message, hint)


@CHECKS.register(AVERAGES)
def test_the_average_follows_the_weights(subject: TrainStateSuite) -> None:
    optimiser, inputs = optax.sgd(1.0), {**subject.inputs(0), "ema_decay": 0.25}
    state = subject.built({**inputs, "optimiser": optimiser})
    weights = functools.partial(eqx.filter, filter_spec=subject.spec(state.model))
    message, hint = (
        "it begins at {}, expected are the weights, {}",
        "make the first average of the weights of the model",
    )
    check_close("averaged", message, weights(state.averaged()), weights(state.model), hint)
    step = filter_compiled(subject.step_of(optimiser))
    after = step(state)
    # The first share may be 0, where it warms up; no later one is.
    for least, before, other in ((-SLACK, state, after), (SLACK, after, step(after))):
        shares = shares_of(*map(weights, (before.averaged(), other.averaged(), other.model)))
        is_average = shares.size == 0 or (
            np.ptp(shares) < SLACK and least < shares.min() and shares.max() < 0.25 + SLACK
        )
        message = f"the average is not decay * average + (1 - decay) * weights, with one decay, which may begin below the declared one: it kept {shares}, and the declared share is 0.25"
        check(is_average, "averaged", message, "exchanged shares, or weights from before the step")
    message = f"its structure is {structure(after.averaged())}, expected is that of the model, {structure(after.model)}"
    hint = "combine the average with what is not trained"
    check(structure(after.averaged()) == structure(after.model), "averaged", message, hint)


@CHECKS.register()
def test_each_step_has_a_key_of_its_own(subject: TrainStateSuite) -> None:
    state = subject.start_with(OPTIMISERS["adamw"]())
    need(hasattr(state, "step_key"), "it holds no key")
    after = subject.compiled_step("adamw")(state)
    keys = [jax.random.key_data(train_state.step_key) for train_state in (state, after, state)]
    hint = "`jax.random.fold_in(self.key, self.step)`"
    check(not np.array_equal(keys[0], keys[1]), "step_key", f"two steps have the same key, {keys[0]}", hint)
    message = f"the key of one step is {keys[0]}, and later {keys[2]}"
    check(np.array_equal(keys[0], keys[2]), "step_key", message, hint)
