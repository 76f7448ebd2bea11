"""Declarations of a suite for a training step."""

from collections.abc import Sequence
from typing import Any, ClassVar

import jax

from ..engine.summary import Collected
from ..inspect.arrays import is_array, is_inexact
from ..inspect.classes import has_helper
from ..inspect.trees import named_arrays, path_name


class StepSuite(Collected):
    """A training step, its initial state, and two batches.

        class TestTrainStep(StepLaws):
            frozen = ("model.offset",)

            def state(self, seed):
                return TrainState.create(Model.create(3, key=jax.random.key(seed)))

            def batch(self, seed):
                return sample(seed, (16, 3)), sample(seed, (16,))

            def step(self, state, batch):
                return train_step(state, batch)

    The step returns the next state, alone or first in a tuple. A step that changes NNX objects in place
    returns them: `return (model, optimiser), loss`.
    """

    steps: ClassVar[int] = 4  # that are watched
    loss_steps: ClassVar[int] = 20  # on one batch, after which the loss is less
    constant_limit: ClassVar[int] = 2**20  # bytes of an array inside of the compiled step
    time_limit: ClassVar[float] = 120.0  # seconds for all steps of one law
    frozen: ClassVar[Sequence[str] | None] = None
    """Paths that no step may move. None means the leaves that `trainable()` of a part leaves out."""
    overwritten: ClassVar[Sequence[str]] = ()
    """Paths that a step writes and never reads, such as the last loss."""
    callbacks: ClassVar[bool] = False  # whether the compiled step may call the host

    def state(self, seed: int) -> Any:
        """Return a new initial state."""
        raise NotImplementedError

    def batch(self, seed: int) -> Any:
        """Return a batch. Batches of two seeds have equal shapes and different values."""
        raise NotImplementedError

    def step(self, state: Any, batch: Any) -> Any:
        """Return the next state, or a tuple that begins with it."""
        raise NotImplementedError

    def next_state(self, state: Any, result: Any) -> Any:
        """Return the next state in the result of a step."""
        return result[0] if holds_state_first(state, result) else result

    def loss(self, state: Any, result: Any) -> Any:
        """Return the loss in the result of a step: the first scalar besides the state, or None."""
        rest = result[1:] if holds_state_first(state, result) else ()
        scalars = (v for v in jax.tree.leaves(rest) if is_array(v) and is_inexact(v))
        return next((v for v in scalars if v.ndim == 0), None)

    def frozen_paths(self, state: Any) -> Sequence[str]:
        """Return the paths that no step may move, declared or according to `trainable()`."""
        if self.frozen is not None:
            return self.frozen
        holders = jax.tree_util.tree_leaves_with_path(state, is_leaf=_says_what_is_trained)
        specs = [(path, node.trainable()) for path, node in holders if _says_what_is_trained(node)]
        marks = [
            (path_name((*path, *below)), mark)
            for path, spec in specs
            for below, mark in jax.tree_util.tree_leaves_with_path(spec)
        ]
        arrays = {name for name, _ in named_arrays(state)}  # not the functions of layers
        return [name for name, is_trained in marks if is_trained is False and name in arrays]


def _says_what_is_trained(node: Any) -> bool:
    return has_helper(type(node), "trainable")


def holds_state_first(state: Any, result: Any) -> bool:
    """Whether a result is a tuple that begins with the next state."""
    if type(result) is not tuple or not result or type(result[0]) is not type(state):
        return False
    return type(state) is not tuple or len(result[0]) == len(state)
