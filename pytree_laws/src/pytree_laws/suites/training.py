"""What the laws of pytrees share that train: gradients, and steps of AdamW."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ..engine.applicability import not_applicable
from ..inspect.arrays import is_inexact, on_device
from ..inspect.trees import inexact_places, named_leaves, replace_leaves
from ..report import check, doing
from ..values.optimisation import descend, has_forward_mode_alone, start, weighted
from .programs import compiled_grads
from .pytree import PytreeSuite


def derivative(loss: Callable[[Any], Any], values: Any) -> Any:
    """The gradient of a loss, in the forward mode where that is the only one."""
    try:
        return jax.grad(loss)(values)
    except ValueError as error:
        if not has_forward_mode_alone(error):
            raise
        return jax.jacfwd(loss)(values)


class Training(PytreeSuite):
    """A suite whose laws train its class."""

    def trained(self, instance: Any) -> list[int]:
        """The positions of the trained leaves: `trainable()`, or all inexact arrays."""
        leaves = jax.tree.leaves(instance)
        method = getattr(instance, "trainable", None)
        if not callable(method):
            return inexact_places(instance)
        spec = jax.tree.leaves(method())
        marks = len(spec) == len(leaves) and all(type(mark) is bool for mark in spec)
        message = f"the spec must hold a bool for each of {len(leaves)} leaves, got {spec}"
        check(marks, "trainable", message)
        return [i for i, mark in enumerate(spec) if mark]

    def training_example(self) -> tuple[Any, tuple[Any, ...]]:
        """`example`; skips where nothing is trained or can be differentiated."""
        self.need_call()
        instance, results = self.cached_instance(), self.traced_call().out_avals
        if not any(jnp.issubdtype(result.dtype, jnp.inexact) for result in results):
            not_applicable("the call returns nothing to differentiate")
        if not self.trained(instance):
            not_applicable("the class trains nothing")
        return instance, (self.arguments(0), self.arguments(1))

    def summed_loss(self, instance: Any, examples: Any) -> Any:
        """A scalar on which every inexact element of every output has its own weight."""
        outputs = [self.apply(instance, *arguments) for arguments in examples]
        found = [weighted(y) for y in jax.tree.leaves(outputs) if is_inexact(y)]
        return sum(found, 0.0)

    def grads(self, instance: Any, places: Sequence[int], examples: Any) -> list[Any]:
        """Gradients of the loss over the example arguments, for the leaves at `places`."""
        leaves = jax.tree.leaves(instance)

        def loss(values: Sequence[Any]) -> Any:
            return self.summed_loss(replace_leaves(instance, dict(zip(places, values))), examples)

        return derivative(loss, [leaves[i] for i in places])

    def grads_of_all(self, instance: Any, arguments: Any) -> list[Any]:
        """Gradients of the loss over one example, for its inexact leaves and those of its arguments."""
        tree = instance, arguments
        leaves, places = jax.tree.leaves(tree), inexact_places(tree)

        def loss(values: Sequence[Any]) -> Any:
            one, given = replace_leaves(tree, dict(zip(places, values)))
            return self.summed_loss(one, [given])

        return derivative(loss, [leaves[i] for i in places])

    def step(self, instance: Any, moments: Any, examples: Any) -> tuple[list[Any], Any]:
        """The trained leaves after a step of AdamW, and the state of the optimiser."""
        leaves, places = jax.tree.leaves(instance), self.trained(instance)
        grads = self.grads(instance, places, examples)
        return descend([leaves[i] for i in places], grads, moments)

    def start(self, instance: Any) -> Any:
        """The optimiser's first state, in NumPy's arrays."""
        leaves = jax.tree.leaves(instance)
        return start([leaves[i] for i in self.trained(instance)])

    def stepped(self, instance: Any, steps: int = 1) -> Any:
        """The instance after some training; only its gradients have to be compiled."""
        examples = self.arguments(0), self.arguments(1)
        moments, places = self.start(instance), self.trained(instance)
        with doing(type(instance).__name__, "a training step"):
            for _ in range(steps):
                grads = self.grads_at(instance, examples)
                self.check_has_grads(instance, grads)
                leaves = jax.tree.leaves(instance)
                old = [np.asarray(leaves[i]) for i in places]
                along = [grads[i] for i in places]
                new, moments = descend(old, along, moments, np)
                new = [on_device(v, was.dtype) for v, was in zip(new, old)]
                instance = replace_leaves(instance, dict(zip(places, new)))
        return instance

    def grads_at(self, instance: Any, examples: Any) -> dict[int, np.ndarray]:
        """By position, the gradients of the inexact leaves, summed over the examples."""
        found = [self.loss_and_grads(instance, given)[1] for given in examples]
        return {place: np.sum([each[place] for each in found], axis=0) for place in found[0]}

    def loss_and_grads(self, instance: Any, arguments: Any) -> tuple[np.ndarray, dict[int, np.ndarray]]:
        """The loss of one example, and by position the gradients of the inexact leaves."""
        loss, *grads = map(np.asarray, compiled_grads(self)(instance, *arguments))
        return loss, dict(zip(inexact_places(instance), grads))

    def check_has_grads(self, instance: Any, grads: Mapping[int, Any]) -> None:
        names = [name for name, _ in named_leaves(instance)]
        wrong = [names[i] for i in self.trained(instance) if i not in grads]
        message = "it is trained, and its dtype has no gradient"
        check(not wrong, ", ".join(wrong), message, "integers are counters, not parameters")

    def gradient_program(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        instance, examples = self.training_example()
        value, back = self.dynamic(instance)
        places = self.trained(instance)
        return lambda value, *arguments: self.grads(back(value), places, arguments), (value, *examples)
