"""What suites of train states declare, and what their laws share."""

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
    """What suites of train states declare besides, and what their laws share."""

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
        pairs = zip(jax.tree.leaves(predict(model, *batch)), jax.tree.leaves(predict(target, *batch)))
        return sum(jnp.mean(jnp.real((left - right) * jnp.conj(left - right))) for left, right in pairs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        """Gradients of the model, of any values: a buffer, whose gradient is 0, has one too."""
        optimiser_of(self)  # made here, where nothing is traced
        weights = eqx.filter(known_inputs(self, seed)["model"], eqx.is_inexact_array)
        return (randomize(weights, 2 * seed + 1),)

    def call(self, instance: Any, *arguments: Any) -> Any:
        after = self.update(instance, optimiser_of(self), *arguments)
        return arrays_only(after)  # jax.jit returns no functions, as a model may hold

    def trained(self, instance: Any) -> list[int]:
        """Nothing: an optimiser moves the model, and no gradient the optimiser."""
        return []

    def follows_dtype(self, path: str) -> bool:
        """Whether it is of the model: an average has 32 bits at least, and what an optimiser holds is its own choice."""
        return is_under(path, "model")

    def expected_to_train(self, instance: Any) -> set[str]:
        return set()

    def update(self, state: Any, optimiser: Any, gradients: Any) -> Any:
        of_model = (state.state,) if hasattr(state, "state") else ()
        return state.apply_gradients(gradients, optimiser, *of_model)

    def step_of(self, optimiser: Any) -> Callable[[Any], Any]:
        """A step with the gradients of the first one, which is soon compiled."""
        (gradients,) = self.arguments(0)
        return lambda state: self.update(state, optimiser, gradients)

    def target(self, seed: int) -> Any:
        """The model with the trained weights of another seed."""
        model, other = (self.cached_instance(seed).model, self.cached_instance(seed + 1).model)
        return eqx.combine(eqx.filter(other, self.spec(model)), model)

    def compiled_step(self, name: str) -> Callable[[Any], Any]:
        """`step_of` one optimiser, compiled once for the laws that need it."""
        (gradients,) = self.arguments(0)
        return lambda state: compiled_update(self, name)(state, gradients)

    def spec(self, model: Any) -> Any:
        """What the optimiser moves: `trainable()`, or all inexact arrays."""
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
        """An instance; none is built before the one that shows what a first build changes."""
        first_build(self)
        return self.build(**inputs)


def arrays_only(tree: Any) -> Any:
    return eqx.filter(tree, eqx.is_array)


def filter_compiled(function: Callable[..., Any], **options: Any) -> Any:
    """`eqx.filter_jit` that compiles faster, where that can be."""
    jit: Any = eqx.filter_jit  # it hands other options on to jax.jit
    return jit(function, compiler_options=quick_options(), **options)


@once_per_session
def optimiser_of(suite: Any) -> Any:
    """The example optimiser of one suite."""
    return suite.inputs(0)["optimiser"]


def known_inputs(suite: Any, seed: int) -> dict[str, Any]:
    """The inputs of one suite; made again where they were donated with what holds them."""
    arrays = arrays_of(made_inputs(suite, seed))
    if any(isinstance(leaf, jax.Array) and leaf.is_deleted() for leaf in arrays):
        session_of(suite).forget(suite, "made_inputs")
    return dict(made_inputs(suite, seed))


@once_per_session
def made_inputs(suite: Any, seed: int) -> dict[str, Any]:
    return suite.inputs(seed)


@once_per_session
def abstract_step(suite: Any, name: str) -> tuple[Any, Any, Exception | None]:
    """A train state and the next one, in shapes and dtypes, and what strict promotion says."""
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
