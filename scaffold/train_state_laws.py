"""The laws of training: what every train state must hold besides the pytree laws.

Subclass `TrainStateLaws` as one subclasses `PytreeLaws`. By default the loss pulls the
weights themselves; with `examples` and `predict` it is the squared distance between what the
model and another one of its class predict. Override `loss` for another one.
"""

import functools
from collections.abc import Callable
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax  # type: ignore[import-untyped]
import pytest
from pytree_laws import (
    PytreeLaws,
    arrays_of,
    avals,
    close,
    compiled,
    first_build,
    generic,
    named_leaves,
    quick_options,
    same_bits,
)

EPOCHS, BATCH = 300, 16
RATE = 0.5  # of the plain descent


def by_rank(weights: Any) -> Any:
    """A label for each weight, for `optax.multi_transform`."""
    return jax.tree.map(lambda leaf: "flat" if leaf.ndim < 2 else "wide", weights)


OPTIMISERS: dict[str, Callable[[], optax.GradientTransformation]] = {
    "adam": lambda: optax.adam(0.01),
    "adamw": lambda: optax.adamw(0.01, weight_decay=0.1),
    "plain": lambda: optax.sgd(RATE),
    "momentum": lambda: optax.sgd(0.01, momentum=0.9),
    "schedule": lambda: optax.chain(
        optax.clip_by_global_norm(1.0), optax.sgd(optax.linear_schedule(0.1, 0.01, 10))
    ),
    "multi_transform": lambda: optax.multi_transform(
        {"flat": optax.sgd(0.01), "wide": optax.adamw(0.01)}, by_rank
    ),
    "noise": lambda: optax.chain(optax.add_noise(0.1, 0.5, 0), optax.sgd(0.01)),
    "injected": lambda: optax.inject_hyperparams(optax.adam)(learning_rate=0.01),
}


class TrainStateLaws(PytreeLaws):
    """Subclass it with a name that starts with `Test`; see the head of this file."""

    converges_to: ClassVar[float] = 0.1  # share of the first loss that training leaves

    def examples(self, seed: int) -> tuple[Any, ...]:
        """Example arguments of the model."""
        return ()

    def predict(self, model: Any, *examples: Any) -> Any:
        """What the loss compares: by default the weights."""
        return eqx.filter(model, eqx.is_inexact_array)

    def loss(self, model: Any, target: Any) -> Any:
        """Mean squared distance of the predictions of two models."""
        drawn = [self.examples(seed) for seed in range(BATCH)]
        batch = jax.tree.map(lambda *leaves: jnp.stack(leaves), *drawn)
        axes = (None, *(0 for _ in batch))
        predict = jax.vmap(self.predict, axes) if batch else self.predict
        pairs = zip(
            jax.tree.leaves(predict(model, *batch)),
            jax.tree.leaves(predict(target, *batch)),
        )
        return sum(jnp.mean(jnp.square(left - right)) for left, right in pairs)

    # What the pytree laws need: the call of a train state is its update.

    def arguments(self, seed: int) -> tuple[Any, ...]:
        """Gradients of the model, of any values: a buffer, whose gradient is 0, has one too."""
        laws: Any = type(self)
        optimiser_of(laws)  # made here, where nothing is traced
        weights = eqx.filter(known_inputs(laws, seed)["model"], eqx.is_inexact_array)
        return (generic(weights, 2 * seed + 1),)

    def call(self, instance: Any, *arguments: Any) -> Any:
        laws: Any = type(self)
        after = self.update(instance, optimiser_of(laws), *arguments)
        return arrays_only(after)  # jax.jit returns no functions, as a model may hold

    def trained(self, instance: Any) -> list[int]:
        """Nothing: an optimiser moves the model, and no gradient the optimiser."""
        return []

    def expected_to_train(self, instance: Any) -> set[str]:
        return set()

    def test_p15_no_two_parameters_are_the_same_draw(self):
        pytest.skip("moments and averages begin equal")

    # What the laws share.

    def update(self, state: Any, optimiser: Any, gradients: Any) -> Any:
        of_model = (state.state,) if hasattr(state, "state") else ()
        return state.apply_gradients(gradients, optimiser, *of_model)

    def step_of(self, optimiser: Any) -> Callable[[Any], Any]:
        """A step with the gradients of the first one, which is soon compiled."""
        (gradients,) = self.arguments(0)
        return lambda state: self.update(state, optimiser, gradients)

    def target(self, seed: int) -> Any:
        """The model with the trained weights of another seed."""
        model, other = self.make(seed).model, self.make(seed + 1).model
        return eqx.combine(eqx.filter(other, self.spec(model)), model)

    def compiled_step(self, name: str) -> Callable[[Any], Any]:
        """`step_of` one optimiser, compiled once for the laws that need it."""
        laws: Any = type(self)
        (gradients,) = self.arguments(0)
        return lambda state: compiled_update(laws, name)(state, gradients)

    def spec(self, model: Any) -> Any:
        """What the optimiser moves: `trainable()`, or all inexact arrays."""

        def has_spec(node: Any) -> bool:
            return hasattr(node, "trainable")

        return jax.tree.map(
            lambda node: (
                node.trainable() if has_spec(node) else eqx.is_inexact_array(node)
            ),
            model,
            is_leaf=has_spec,
        )

    def make(self, seed: int) -> Any:
        laws: Any = type(self)
        first_build(laws)  # before any other, so that it sees what the first changes
        return self.build(**known_inputs(laws, seed))

    def start_with(self, optimiser: Any) -> Any:
        laws: Any = type(self)
        first_build(laws)
        return self.build(**{**known_inputs(laws, 0), "optimiser": optimiser})

    # The laws.

    @pytest.mark.parametrize("name", OPTIMISERS)
    def test_the_update_is_a_fixed_point(self, name):
        laws: Any = type(self)
        state, after, _ = abstract_step(laws, name)
        assert jax.tree.structure(after) == jax.tree.structure(state), (
            "the update changed the treedef: make the optimiser's state from the weights "
            "of the finished model, and update with a tree of the same structure"
        )
        found, wanted = avals(after), avals(state)
        changed = [name for name in wanted if found[name] != wanted[name]]
        assert not changed, (
            f"the update changed a shape, dtype or weak type of {', '.join(changed)}: "
            "give every array a dtype"
        )

    @pytest.mark.parametrize("name", OPTIMISERS)
    def test_a_step_under_strict_promotion(self, name):
        laws: Any = type(self)
        _, _, error = abstract_step(laws, name)
        look = 'wrap the update in `jax.numpy_dtype_promotion("standard")`'
        assert error is None, f"optax mixes dtypes: {look}: {error}"

    def test_scan_takes_the_steps_of_a_loop(self):
        optimiser = OPTIMISERS["adamw"]()
        step, compiled_step = self.step_of(optimiser), self.compiled_step("adamw")
        arrays, rest = eqx.partition(self.start_with(optimiser), eqx.is_array)

        def advance(arrays: Any) -> Any:
            return eqx.filter(step(eqx.combine(arrays, rest)), eqx.is_array)

        def scan(arrays: Any) -> Any:
            return jax.lax.scan(lambda c, _: (advance(c), None), arrays, length=2)[0]

        start, scanned = eqx.combine(arrays, rest), compiled(scan)(arrays)
        loop = arrays_only(compiled_step(compiled_step(start)))
        assert close(scanned, loop, 64), "lax.scan and a loop end in different states"

    def test_an_optimiser_may_be_passed_through_filter_jit(self):
        optimiser = OPTIMISERS["adamw"]()
        state = self.start_with(optimiser)
        step = filter_compiled(lambda state, given: self.step_of(given)(state))
        step.lower(state, optimiser)  # it fails where settings are no static values

    def test_a_step_moves_the_trained_arrays_alone(self):
        optimiser = OPTIMISERS["adamw"]()
        state = self.start_with(optimiser)
        ones = jax.tree.map(
            lambda leaf: jnp.ones_like(leaf) if eqx.is_inexact_array(leaf) else None,
            state.model,
        )
        laws: Any = type(self)
        moved = compiled_update(laws, "adamw")(state, ones).model
        marks = jax.tree.leaves(self.spec(state.model))
        pairs = zip(named_leaves(state.model), jax.tree.leaves(moved), marks)
        for (name, before), after, trained in pairs:
            assert same_bits(before, after) is not trained, (
                f"`{name}` " + ("was not moved" if trained else "was moved")
            ) + ": mask gradients, weights and the optimiser's state by one filter spec"

    def test_a_step_is_what_the_optimiser_makes_of_the_gradients(self):
        state, (gradients,) = self.start_with(OPTIMISERS["plain"]()), self.arguments(0)
        laws: Any = type(self)
        moved = compiled_update(laws, "plain")(state, gradients).model
        spec = self.spec(state.model)
        expected = jax.tree.map(
            lambda weight, slope: np.asarray(weight) - RATE * np.asarray(slope),
            eqx.filter(state.model, spec),
            eqx.filter(gradients, spec),
        )
        pairs = zip(jax.tree.leaves(eqx.filter(moved, spec)), jax.tree.leaves(expected))
        for after, wanted in pairs:
            wanted = jnp.asarray(wanted, after.dtype)
            assert close(after, wanted, 16), (
                f"a step of plain descent gives {after}, and not {wanted}: add the updates "
                "of the optimiser once, as they are"
            )

    def test_the_optimiser_holds_nothing_of_what_is_not_trained(self):
        optimiser = OPTIMISERS["adamw"]()
        state = self.start_with(optimiser)
        weights = eqx.filter(state.model, self.spec(state.model))
        expected = jax.tree.structure(optimiser.init(weights))
        assert jax.tree.structure(state.opt_state) == expected, (
            "the optimiser's state is not that of the trained weights: "
            "`optimiser.init(eqx.filter(model, spec))`, of the finished model"
        )

    def test_a_step_moves_the_optimiser_too(self):
        optimiser = OPTIMISERS["adamw"]()
        state = self.start_with(optimiser)
        after = self.compiled_step("adamw")(state)
        pairs = zip(arrays_of(state.opt_state), arrays_of(after.opt_state))
        assert not all(same_bits(*pair) for pair in pairs), (
            "a step left the optimiser's state as it was: store the one that "
            "`optimiser.update` returns"
        )

    def test_steps_are_counted(self):
        optimiser = OPTIMISERS["adamw"]()
        state = self.start_with(optimiser)
        whole = jnp.issubdtype(state.step.dtype, jnp.integer)
        assert whole and not state.step.weak_type, (
            f"steps are counted in {state.step.dtype}: begin with `jnp.zeros((), jnp.int32)`"
        )
        step = self.compiled_step("adamw")
        counts = [int(one.step) for one in (state, step(state), step(step(state)))]
        assert counts == [0, 1, 2], (
            f"steps are counted as {counts}, and not from 0 by 1"
        )

    def test_donation(self):
        inputs = self.inputs(0)
        donate = filter_compiled(lambda state: state, donate="all")
        expected = donate(self.build(**inputs))
        for leaf in arrays_of(inputs["model"]):
            assert not leaf.is_deleted(), (
                "donating the train state deleted the model that it was made from: copy"
            )
        again = donate(self.build(**inputs))
        assert close(expected, again), "a second run from the same model differs"

    def test_training_converges(self):
        optimiser = optax.adam(0.03)
        target = self.target(0)
        arrays, rest = eqx.partition(self.start_with(optimiser), eqx.is_array)

        @compiled
        def train(arrays: Any) -> tuple[Any, Any]:
            def epoch(arrays: Any, _: None) -> tuple[Any, Any]:
                state = eqx.combine(arrays, rest)
                loss, slopes = eqx.filter_value_and_grad(self.loss)(state.model, target)
                after = self.update(state, optimiser, slopes)
                return eqx.filter(after, eqx.is_array), loss

            return jax.lax.scan(epoch, arrays, length=EPOCHS)

        _, losses = train(arrays)
        first, *_, last = np.asarray(losses)
        assert last < self.converges_to * first, (
            f"after {EPOCHS} steps the loss is {last}, it was {first}"
        )

    def test_the_average_follows_the_weights(self):
        optimiser, inputs = optax.sgd(1.0), {**self.inputs(0), "ema_decay": 0.25}
        if not hasattr(self.make(0), "averaged"):
            pytest.skip("it keeps no average of its weights")
        state = self.build(**{**inputs, "optimiser": optimiser})
        weights = functools.partial(eqx.filter, filter_spec=self.spec(state.model))
        assert close(weights(state.averaged()), weights(state.model)), (
            "the average does not begin at the weights"
        )
        after = filter_compiled(self.step_of(optimiser))(state)
        expected = jax.tree.map(
            lambda old, new: 0.25 * old + 0.75 * new,
            weights(state.model),
            weights(after.model),
        )
        assert close(weights(after.averaged()), expected, 16), (
            "the average is not decay * average + (1 - decay) * weights"
        )
        same = jax.tree.structure(after.averaged()) == jax.tree.structure(after.model)
        assert same, (
            "the average is no whole model: combine it with what is not trained"
        )

    def test_each_step_has_a_key_of_its_own(self):
        optimiser = OPTIMISERS["adamw"]()
        state = self.start_with(optimiser)
        if not hasattr(state, "step_key"):
            pytest.skip("it holds no key")
        after = self.compiled_step("adamw")(state)
        keys = [jax.random.key_data(one.step_key) for one in (state, after, state)]
        assert not np.array_equal(keys[0], keys[1]), "two steps have the same key"
        assert np.array_equal(keys[0], keys[2]), "the key of a step is not reproducible"


def arrays_only(tree: Any) -> Any:
    return eqx.filter(tree, eqx.is_array)


def filter_compiled(function: Callable[..., Any], **options: Any) -> Any:
    """`eqx.filter_jit` that compiles faster, where that can be."""
    jit: Any = eqx.filter_jit  # it hands other options on to jax.jit
    return jit(function, compiler_options=quick_options(), **options)


@functools.cache
def optimiser_of(laws: Any) -> Any:
    """The example optimiser of one suite."""
    return laws().inputs(0)["optimiser"]


def known_inputs(laws: Any, seed: int) -> dict[str, Any]:
    """The inputs of one suite; made again where they were donated with what holds them."""
    held = arrays_of(made_inputs(laws, seed))
    if any(isinstance(leaf, jax.Array) and leaf.is_deleted() for leaf in held):
        made_inputs.cache_clear()
    return dict(made_inputs(laws, seed))


@functools.cache
def made_inputs(laws: Any, seed: int) -> dict[str, Any]:
    return laws().inputs(seed)


@functools.cache
def abstract_step(laws: Any, name: str) -> tuple[Any, Any, Exception | None]:
    """A train state and the next one, in shapes and dtypes, and what strict promotion says."""
    suite, optimiser = laws(), OPTIMISERS[name]()
    step = suite.step_of(optimiser)
    state = eqx.filter_eval_shape(lambda: suite.start_with(optimiser))
    with jax.numpy_dtype_promotion("strict"):
        try:
            return state, eqx.filter_eval_shape(step, state), None
        except jax.dtypes.TypePromotionError as error:
            refused = error
    return state, eqx.filter_eval_shape(step, state), refused


@functools.cache
def compiled_update(laws: Any, name: str) -> Callable[[Any, Any], Any]:
    suite, optimiser = laws(), OPTIMISERS[name]()
    return filter_compiled(
        lambda state, gradients: suite.update(state, optimiser, gradients)
    )
