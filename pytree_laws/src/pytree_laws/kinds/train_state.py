"""Suites of train states: their declarations, and values that their laws share."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp

from ..engine.first_use import first_build
from ..errors import is_of_promotion
from ..inspect.trees import arrays_of, is_under
from ..patches.fast_compile import quick_options
from ..session import once_per_session, session_of
from ..values.optimisation import has_spec
from ..values.optimisers import OPTIMISERS
from ..values.randomize import randomize
from .pytree import PytreeSuite

BATCH = 16  # examples in a loss


class TrainStateSuite(PytreeSuite):
    """A suite of a train state, with values that its laws share."""

    converges_to: ClassVar[float] = 0.1  # share of the first loss that training leaves

    def examples(self, seed: int) -> tuple[Any, ...]:
        """Return example arguments of the model."""
        return ()

    def predict(self, model: Any, *examples: Any) -> Any:
        """Return what the loss compares, by default the weights."""
        return eqx.filter(model, eqx.is_inexact_array)

    def loss(self, model: Any, target: Any) -> Any:
        """Return the mean squared distance between the predictions of two models."""
        drawn = [self.examples(seed) for seed in range(BATCH)]
        batch = jax.tree.map(lambda *leaves: jnp.stack(leaves), *drawn)
        axes = (None, *(0 for _ in batch))
        predict = jax.vmap(self.predict, axes) if batch else self.predict
        pairs = zip(jax.tree.leaves(predict(model, *batch)), jax.tree.leaves(predict(target, *batch)))
        return sum(jnp.mean(jnp.real((left - right) * jnp.conj(left - right))) for left, right in pairs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        """Return random gradients of the model, also for buffers, whose gradient is 0 in training."""
        optimiser_of(self)  # made here, where nothing is traced
        weights = eqx.filter(known_inputs(self, seed)["model"], eqx.is_inexact_array)
        return (randomize(weights, 2 * seed + 1),)

    def call(self, instance: Any, *arguments: Any) -> Any:
        after = self.update(instance, optimiser_of(self), *arguments)
        return arrays_only(after)  # jax.jit returns no functions, as a model may hold

    def trained(self, instance: Any) -> list[int]:
        """Return no places: an optimiser moves the model, and no gradient moves the optimiser."""
        return []

    def follows_dtype(self, path: str) -> bool:
        """Whether a path lies in the model, whose dtype the constructor is given.

        An average has at least 32 bits, and an optimiser chooses its own dtypes.
        """
        return is_under(path, "model")

    def expected_to_train(self, instance: Any) -> set[str]:
        return set()

    def update(self, state: Any, optimiser: Any, gradients: Any) -> Any:
        of_model = (state.state,) if hasattr(state, "state") else ()
        return state.apply_gradients(gradients, optimiser, *of_model)

    def step_of(self, optimiser: Any) -> Callable[[Any], Any]:
        """Return a step that reuses the first gradients, and so compiles quickly."""
        (gradients,) = self.arguments(0)
        return lambda state: self.update(state, optimiser, gradients)

    def target(self, seed: int) -> Any:
        """Return the model with the trained weights of another seed."""
        model, other = (self.cached_instance(seed).model, self.cached_instance(seed + 1).model)
        return eqx.combine(eqx.filter(other, self.spec(model)), model)

    def compiled_step(self, name: str) -> Callable[[Any], Any]:
        """Return `step_of` for one optimiser, compiled once for all laws."""
        (gradients,) = self.arguments(0)
        return lambda state: compiled_update(self, name)(state, gradients)

    def spec(self, model: Any) -> Any:
        """Return the filter spec of what the optimiser moves: `trainable()`, or all inexact arrays."""
        return jax.tree.map(
            lambda node: node.trainable() if has_spec(node) else eqx.is_inexact_array(node),
            model,
            is_leaf=has_spec,
        )

    def make(self, seed: int) -> Any:
        return self.built(known_inputs(self, seed))

    def start_with(self, optimiser: Any) -> Any:
        return self.built({**known_inputs(self, 0), "optimiser": optimiser})

    def built(self, inputs: Mapping[str, Any]) -> Any:
        """Build an instance, after the first build that shows what a build changes."""
        first_build(self)
        return self.build(**inputs)


def arrays_only(tree: Any) -> Any:
    return eqx.filter(tree, eqx.is_array)


def filter_compiled(function: Callable[..., Any], **options: Any) -> Any:
    """Apply `eqx.filter_jit` with options that compile faster, where XLA has them."""
    jit: Any = eqx.filter_jit  # it hands other options on to jax.jit
    return jit(function, compiler_options=quick_options(), **options)


@once_per_session
def optimiser_of(suite: Any) -> Any:
    """Return the example optimiser of a suite."""
    return suite.inputs(0)["optimiser"]


def known_inputs(suite: Any, seed: int) -> dict[str, Any]:
    """Return the inputs of a suite, and make them anew if a step has donated their arrays."""
    arrays = arrays_of(made_inputs(suite, seed))
    if any(isinstance(leaf, jax.Array) and leaf.is_deleted() for leaf in arrays):
        session_of(suite).forget(suite, "made_inputs")
    return dict(made_inputs(suite, seed))


@once_per_session
def made_inputs(suite: Any, seed: int) -> dict[str, Any]:
    return suite.inputs(seed)


@once_per_session
def abstract_step(suite: Any, name: str) -> tuple[Any, Any, Exception | None]:
    """Return a train state, the next one, and the error of strict promotion or None.

    Both states are given in shapes and dtypes.
    """
    optimiser = OPTIMISERS[name]()
    step = suite.step_of(optimiser)
    state = eqx.filter_eval_shape(lambda: suite.start_with(optimiser))
    with jax.numpy_dtype_promotion("strict"):
        try:
            return state, eqx.filter_eval_shape(step, state), None
        except ValueError as error:
            if not is_of_promotion(error):
                raise
            refused = error
    return state, eqx.filter_eval_shape(step, state), refused


@once_per_session
def compiled_update(suite: Any, name: str) -> Callable[[Any, Any], Any]:
    optimiser = OPTIMISERS[name]()
    return filter_compiled(lambda state, gradients: suite.update(state, optimiser, gradients))
