"""T3: training in other precisions, with optimisers of more arguments, and with long averages."""

import inspect
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax  # type: ignore[import-untyped]
import pytest

from ....engine.applicability import not_applicable
from ....engine.registry import Checks
from ....inspect.arrays import is_floating, on_device
from ....inspect.trees import avals, bfloat16, named_leaves, structure
from ....kinds.train_state import TrainStateSuite, arrays_only, filter_compiled
from ....report import Law, check
from ....values.closeness import check_close, in_64_bits
from ....values.comparison import check_treedef
from ....values.optimisers import OPTIMISERS
from .training import AVERAGES
from .update import check_same_avals

LAW = Law(
    number="T3",
    name="precision",
    statement="A model in half precision stays so in training; an average is precise enough to move, and never narrower than the weights; an optimiser is given the further arguments that it takes.",
    protects="A step that is compiled anew because it widened the weights, an average that rounding holds still, an optimiser that takes the loss, as a line search does, and is not given it.",
    mistake="What optax or an average gives is stored in its own dtype, or further arguments end at the train state.",
    fix="Cast each update to the dtype of what it replaces, keep averages in 32 bits at least and never narrower than the weights, and hand `**extra_args` on.",
    rests_on=("test_the_update_is_a_fixed_point",),
)
CHECKS = Checks(LAW)

STEPS = 2000  # after which an average with a share of 0.999 has gone most of the way
WIDE = "`jnp.promote_types(leaf.dtype, jnp.float32)`, which is wider than 32 bits where the weights are"
FACTOR = 3.0  # by which an optimiser that wants a value scales its step


def scaled_by_value() -> optax.GradientTransformationExtraArgs:
    """Make a plain descent whose update takes one more argument, `value`."""

    def update(updates: Any, state: Any, params: Any = None, *, value: Any = 1.0, **_: Any) -> Any:
        return jax.tree.map(lambda grad: -value * grad, updates), state

    return optax.GradientTransformationExtraArgs(lambda params: (), update)


def inputs_in_bfloat16(subject: TrainStateSuite, **changes: Any) -> dict[str, Any]:
    """Return the inputs with the example model in bfloat16."""
    inputs = subject.inputs(0)
    return {**inputs, "model": bfloat16(inputs["model"]), **changes}


@CHECKS.register()
@pytest.mark.parametrize("name", ["adamw", "schedule"])
def test_a_model_in_bfloat16_stays_so(subject: TrainStateSuite, name: str) -> None:
    (gradients,) = bfloat16(subject.arguments(0))
    _check_stays_in_bfloat16(subject, name, gradients, "")


@CHECKS.register()
def test_gradients_of_32_bits_leave_a_model_in_bfloat16_so(subject: TrainStateSuite) -> None:
    (gradients,) = subject.arguments(0)
    _check_stays_in_bfloat16(subject, "adamw", gradients, " by gradients of 32 bits")


def _check_stays_in_bfloat16(subject: TrainStateSuite, name: str, gradients: Any, how: str) -> None:
    """Check that a step of a model in bfloat16 keeps every dtype."""
    optimiser = OPTIMISERS[name]()
    inputs = inputs_in_bfloat16(subject, optimiser=optimiser)
    subject.cached_instance()  # built before what is built in a trace
    state = eqx.filter_eval_shape(lambda: subject.build(**inputs))
    after = eqx.filter_eval_shape(lambda state: subject.update(state, optimiser, gradients), state)
    what = f"with {name} the update of a model in bfloat16{how}"
    check_treedef(structure(state), structure(after), "apply_gradients", f"{what} changed the treedef: it is")
    hint = "cast what the optimiser gives to the dtype of what it replaces"
    check_same_avals(avals(state), avals(after), what, hint)


@CHECKS.register(AVERAGES)
def test_the_average_of_a_model_in_bfloat16_moves(subject: TrainStateSuite) -> None:
    optimiser, inputs = optax.sgd(1.0), inputs_in_bfloat16(subject, ema_decay=0.999)
    (gradients,) = bfloat16(subject.arguments(0))
    still = jax.tree.map(lambda v: on_device(np.zeros_like(v)), gradients)

    @filter_compiled
    def trained(model: Any) -> tuple[Any, Any, Any]:
        start = subject.build(**{**inputs, "model": model, "optimiser": optimiser})
        first = subject.update(start, optimiser, gradients)
        arrays, rest = eqx.partition(first, eqx.is_array)

        def step(arrays: Any, _: None) -> tuple[Any, None]:
            return arrays_only(subject.update(eqx.combine(arrays, rest), optimiser, still)), None

        last, _ = jax.lax.scan(step, arrays, length=STEPS)
        return start.model, first.model, eqx.combine(last, rest).averaged()

    weights = (jax.tree.leaves(eqx.filter(v, subject.spec(v))) for v in trained(inputs["model"]))
    for before, after, got in zip(*weights):
        message = f"the average of a model in {after.dtype} is a model in {got.dtype}"
        hint = "cast what `averaged` gives to the dtype of the weights"
        check(got.dtype == after.dtype, "averaged", message, hint)
        far, left = (np.abs(np.asarray(after, np.float64) - np.asarray(v, np.float64)) for v in (before, got))
        message = f"after {STEPS} steps of 0.001 the average of a model in bfloat16 is {got}, expected is near the weights, {after}"
        hint = "keep the average in 32 bits, where such a step is no rounding"
        check(bool(np.all(left <= 0.25 * far + 0.05)), "averaged", message, hint)


@CHECKS.register(AVERAGES)
def test_the_average_has_the_bits_of_the_weights(subject: TrainStateSuite) -> None:
    # Made before, in the dtypes of the example, whose draws are compiled already.
    optimiser, inputs = optax.sgd(1.0), {**subject.inputs(0), "ema_decay": 0.25}
    with in_64_bits():
        model = in_float64(inputs["model"], subject.spec(inputs["model"]))
        (gradients,) = subject.arguments(0)
        gradients = in_float64(gradients, jax.tree.map(lambda _: True, gradients))
        state = subject.build(**{**inputs, "model": model, "optimiser": optimiser})
        after = filter_compiled(lambda state: subject.update(state, optimiser, gradients))(state)
        for averaging in (state, after):
            _check_average_is_wide(subject, averaging)


def _check_average_is_wide(subject: TrainStateSuite, state: Any) -> None:
    """Check that an average exceeds 32 bits if its weights do."""
    trained = subject.spec(state.model)
    weights, means = (eqx.filter(tree, trained) for tree in (state.model, state.averaged()))
    for (name, weight), mean in zip(named_leaves(weights), jax.tree.leaves(means)):
        message = f"the average of weights in {weight.dtype} has no more than 32 bits: it is {mean}"
        check(fits_in_32_bits(weight) or not fits_in_32_bits(mean), f"averaged.{name}", message, WIDE)


def in_float64(tree: Any, trained: Any) -> Any:
    """Return the tree with trained leaves in float64, at values that float32 cannot hold."""

    def widen(leaf: Any, is_trained: bool) -> Any:
        if not (is_trained and is_floating(leaf)):
            return leaf
        ramp = np.linspace(1.0, 2.0, max(leaf.size, 1))[: leaf.size].reshape(leaf.shape)
        return on_device(np.asarray(leaf, np.float64) + ramp / 3e9)

    return jax.tree.map(widen, tree, trained)


def fits_in_32_bits(leaf: Any) -> bool:
    """Whether float32 holds all values of an array, unlike those of `in_float64`."""
    array = np.asarray(leaf)
    return not is_floating(leaf) or np.array_equal(array, array.astype(np.float32))


@CHECKS.register()
def test_an_optimiser_may_take_more_arguments(subject: TrainStateSuite) -> None:
    optimiser = scaled_by_value()
    state = subject.start_with(optimiser)
    parameters = inspect.signature(state.apply_gradients).parameters.values()
    if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        not_applicable("it takes no further arguments for the optimiser")
    (gradients,) = subject.arguments(0)
    of_model = (state.state,) if hasattr(state, "state") else ()
    value = jnp.asarray(FACTOR, jnp.float32)

    @filter_compiled
    def step(state: Any) -> Any:
        return state.apply_gradients(gradients, optimiser, *of_model, value=value)

    spec = subject.spec(state.model)
    got, weights, grads = (eqx.filter(tree, spec) for tree in (step(state).model, state.model, gradients))
    expected = jax.tree.map(lambda v, grad: np.asarray(v) - FACTOR * np.asarray(grad), weights, grads)
    message = "what the optimiser takes besides does not reach it: the weights are {}, expected {}"
    hint = "hand `**extra_args` on to the update of the optimiser"
    check_close("apply_gradients", message, got, expected, hint, 16)
