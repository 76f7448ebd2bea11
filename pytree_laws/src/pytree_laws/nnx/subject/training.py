"""What the laws of NNX modules share that train: gradients, steps, and generic points."""

import itertools
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from ...engine.applicability import not_applicable
from ...inspect.arrays import is_inexact, is_key, on_device
from ...inspect.trees import inexact_places, replace_leaves
from ...report import doing
from ...session import once_per_session
from ...values.optimisation import descend, has_forward_mode_alone, start, weighted
from ...values.randomize import randomize, randomize_indices
from .programs import compiled_grads
from .suite import NnxSuite
from .variables import copy_of, is_differentiable, values_of, variables_of


class Training(NnxSuite):
    """A suite whose laws train its module."""

    def loss(self, instance: Any, arguments: Any) -> Any:
        outputs = jax.tree.leaves(self.call(instance, *arguments))
        return sum(weighted(y) for y in outputs if is_inexact(y))

    def examples(self) -> tuple[Any, ...]:
        return self.arguments(0), self.arguments(1)

    def grads(
        self, instance: Any, arguments: Any, of_arguments: bool = True
    ) -> tuple[dict[str, Any], list[Any]]:
        """Gradients of the loss: of all inexact Variables by path, and of the floats in the arguments.

        The call updates the module.
        """
        leaves = jax.tree.leaves(arguments)
        places = inexact_places(arguments) if of_arguments else []
        floats = [leaves[i] for i in places]

        def loss(module: Any, floats: Any) -> Any:
            return self.loss(module, replace_leaves(arguments, dict(zip(places, floats))))

        parts: Any = nnx.split(copy_of(instance), is_differentiable, ...)
        selected = nnx.DiffState(0, is_differentiable)
        try:
            own, others = nnx.grad(loss, argnums=(selected, 1))(instance, floats)
        except ValueError as error:
            if not has_forward_mode_alone(error):
                raise

            def forward(values: Any, floats: Any) -> Any:  # as a while_loop alone has
                module = nnx.merge(parts[0], values, parts[2], copy=True)
                return loss(module, floats)

            own, others = jax.jacfwd(forward, (0, 1))(parts[1], floats)
        return values_of(own), others

    def training_example(self) -> Any:
        """The module that laws share; skips where nothing is trained or can be differentiated."""
        self.need_call()
        if not gives_floats(self):
            not_applicable("the call returns nothing to differentiate")
        instance = self.cached_instance()
        held = variables_of(instance).items()
        if not any(self.is_param(n) or isinstance(v, nnx.Param) for n, v in held):
            not_applicable("no parameters are declared")
        return instance

    def train(self, instance: Any, steps: int) -> Any:
        """A copy of the module after some steps of AdamW; only its gradients have to be compiled."""
        module, run = copy_of(instance), compiled_grads(self)
        moments = start(list(values_of_params(module).values()))
        with doing(type(instance).__name__, "a training step"):
            for _, arguments in zip(range(steps), itertools.cycle(self.examples())):
                grads, _, state = run(*nnx.split(module), *arguments)
                nnx.update(module, state)
                moments = stepped(module, grads, moments)
        return module

    def at_point(self, seed: int) -> tuple[Any, Any]:
        """A module and arguments: the example, or random floats for another seed."""
        instance = self.cached_instance(seed if self._draws() else 0)
        if not seed:
            return instance, self.examples()
        graphdef, state = nnx.split(instance)
        moved = self.arguments(2 * seed), self.arguments(2 * seed + 1)
        sizes = [size for v in values_of(state).values() for size in v.shape]
        state, moved = randomize((state, moved), seed)
        moved = randomize_indices(moved, seed, max(sizes, default=2))
        return nnx.merge(graphdef, state, copy=True), moved

    def _draws(self) -> bool:
        """Whether modules hold keys, so that each seed must have its own."""
        return any(map(is_key, values_of(self.cached_instance()).values()))

    def gradient_program(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        parts: Any = nnx.split(self.training_example(), nnx.Param, ...)
        graphdef, params, rest = parts

        def loss(params: Any, rest: Any) -> Any:
            module = nnx.merge(graphdef, params, rest, copy=True)
            return self.loss(module, self.arguments(0))

        return jax.grad(loss), (params, rest)


def values_of_params(module: Any) -> dict[str, np.ndarray]:
    params = values_of(nnx.state(module, nnx.Param)).items()
    return {path: np.asarray(value) for path, value in params}


def stepped(module: Any, grads: Mapping[str, Any], moments: Any) -> Any:
    """The next state of the optimiser; the Params of the module take a step, in NumPy."""
    old, variables = values_of_params(module), variables_of(module)
    along = [np.asarray(grads[path]) for path in old]
    new, after = descend(list(old.values()), along, moments, np)
    for (path, was), value in zip(old.items(), new):
        variables[path].set_value(on_device(value, was.dtype))
    return after


@once_per_session
def gives_floats(suite: Any) -> bool:
    """Whether the example call gives something that can be differentiated."""
    outputs = suite.traced_outputs()
    return any(jnp.issubdtype(output.dtype, jnp.inexact) for output in outputs)
