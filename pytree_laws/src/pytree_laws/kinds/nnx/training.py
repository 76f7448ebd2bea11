"""Training of an NNX module by the laws: gradients of inexact Variables, and steps of AdamW."""

import itertools
from collections.abc import Callable, Mapping
from typing import Any

import jax
import numpy as np
from flax import nnx

from ...inspect.arrays import on_device
from ...inspect.trees import inexact_places, replace_leaves
from ...report import ANY_ERROR, doing
from ...session import once_per_session
from ...trace.programs import compiled
from ...values.optimisation import descend, in_either_mode, start
from ..programs import names_of
from ..training import summed_loss
from .variables import assign, copy_of, is_differentiable, values_of, variables_of


def grads(suite: Any, instance: Any, arguments: Any, of_arguments: bool = True) -> Any:
    """Return the loss, its gradients by inexact Variables, by path, and those by the arguments' floats.

    The call updates the module.
    """
    leaves = jax.tree.leaves(arguments)
    places = inexact_places(arguments) if of_arguments else []
    floats = [leaves[i] for i in places]

    def loss(module: Any, floats: Any) -> Any:
        return summed_loss(suite, module, [replace_leaves(arguments, dict(zip(places, floats)))])

    parts: Any = nnx.split(copy_of(instance), is_differentiable, ...)
    selected = nnx.DiffState(0, is_differentiable)

    def of_values(values: Any, floats: Any) -> Any:
        return loss(nnx.merge(parts[0], values, parts[2], copy=True), floats)

    value, (slopes, others) = in_either_mode(
        lambda: nnx.value_and_grad(loss, argnums=(selected, 1))(instance, floats),
        lambda: (of_values(parts[1], floats), jax.jacfwd(of_values, (0, 1))(parts[1], floats)),
    )
    return value, values_of(slopes), others


@once_per_session
def compiled_grads(suite: Any) -> Callable[..., Any]:
    """Compile `grads`, which then also returns the state that the call leaves."""

    def run(graphdef: Any, state: Any, *arguments: Any) -> Any:
        module = nnx.merge(graphdef, state, copy=True)
        try:
            loss_and_slopes = grads(suite, module, arguments)
        except ANY_ERROR:  # it may have none with respect to its arguments
            module = nnx.merge(graphdef, state, copy=True)
            loss_and_slopes = grads(suite, module, arguments, of_arguments=False)
        return *loss_and_slopes, nnx.state(module)

    return compiled(run)


def loss_and_grads(suite: Any, instance: Any, arguments: Any) -> tuple[Any, dict[str, Any]]:
    """Return the loss of one example, and its gradients by the Variables, by path."""
    loss, slopes, *_ = compiled_grads(suite)(*nnx.split(instance), *arguments)
    return loss, slopes


def gradients(suite: Any, instance: Any, arguments: Any) -> dict[str, Any]:
    """Return the gradients by the Variables and by the floats of the arguments, by path."""
    names = names_of((), arguments)
    _, slopes, others, _ = compiled_grads(suite)(*nnx.split(instance), *arguments)
    return {**slopes, **{names[i]: slope for i, slope in zip(inexact_places(arguments), others)}}


def stepped(suite: Any, instance: Any, steps: int = 1) -> Any:
    """Copy the module, and train the copy by AdamW.

    Only the gradients need to be compiled.
    """
    module, run = copy_of(instance), compiled_grads(suite)
    examples = suite.arguments(0), suite.arguments(1)
    moments = start(list(values_of_params(module).values()))
    with doing(type(instance).__name__, "a training step"):
        for _, arguments in zip(range(steps), itertools.cycle(examples)):
            _, slopes, _, state = run(*nnx.split(module), *arguments)
            nnx.update(module, state)
            moments = step(module, slopes, moments)
    return module


def values_of_params(module: Any) -> dict[str, np.ndarray]:
    return {path: np.asarray(value) for path, value in values_of(nnx.state(module, nnx.Param)).items()}


def step(module: Any, slopes: Mapping[str, Any], moments: Any) -> Any:
    """Take a step of AdamW on the Params of the module in NumPy, and return the optimiser's next state."""
    old, variables = values_of_params(module), variables_of(module)
    along = [np.asarray(slopes[path]) for path in old]
    new, after = descend(list(old.values()), along, moments, np)
    for (path, was), value in zip(old.items(), new):
        variables[path].set_value(on_device(value, was.dtype))
    return after


def with_values(instance: Any, values: Mapping[str, Any]) -> Any:
    """Copy the module with other values at these paths."""
    module = copy_of(instance)
    assign(module, {path: values[path] for path in variables_of(module) if path in values})
    return module


def gradient_program(suite: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Return the gradient of the loss by the Params as a function, and its arguments."""
    instance, (arguments, _) = suite.training_example()
    parts: Any = nnx.split(instance, nnx.Param, ...)
    graphdef, params, rest = parts

    def loss(params: Any, rest: Any) -> Any:
        return summed_loss(suite, nnx.merge(graphdef, params, rest, copy=True), [arguments])

    return jax.grad(loss), (params, rest)
