"""Training of a pytree by the laws: gradients at several points, and steps of AdamW."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ..engine.applicability import need, not_applicable
from ..inspect.arrays import is_array, is_inexact, on_device
from ..inspect.trees import arrays_of, axis_sizes, inexact_places, named_leaves, replace_leaves, structure
from ..report import ANY_ERROR, check, doing
from ..session import once_per_session
from ..trace.programs import Compiled
from ..values.optimisation import descend, has_spec, in_either_mode, start, weighted_sum
from ..values.randomize import counted_on, places_of_one_sign, randomize, randomize_indices
from .slopes import grads_at

EXAMPLES = 3
"""Number of seeds that show the signs of drawn values."""


def trained_places(instance: Any) -> list[int]:
    """Return the positions of the trained leaves, by `trainable()` or else all inexact arrays."""
    leaves = jax.tree.leaves(instance)
    if not has_spec(instance):
        return inexact_places(instance)
    spec = jax.tree.leaves(instance.trainable())
    marks = len(spec) == len(leaves) and all(type(mark) is bool for mark in spec)
    check(marks, "trainable", f"the spec must hold a bool for each of {len(leaves)} leaves, got {spec}")
    return [i for i, mark in enumerate(spec) if mark]


def training_example(suite: Any, or_buffers: bool = False) -> tuple[Any, tuple[Any, ...]]:
    """Return an instance and two examples, or skip if the class trains nothing.

    With `or_buffers`, an instance with buffers will do. A call without float outputs is skipped, too.
    """
    need_floats(suite)
    instance = suite.cached_instance()
    if not (suite.trains(instance) or (or_buffers and holds_buffers(suite, instance))):
        not_applicable("the class trains nothing")
    return instance, (suite.arguments(0), suite.arguments(1))


def holds_buffers(suite: Any, instance: Any) -> bool:
    return any(suite.role(name) == "buffer" for name in suite.named(instance))


def need_floats(suite: Any) -> None:
    """Skip if the example call returns nothing that can be differentiated."""
    suite.need_call()
    need(gives_floats(suite), "the call returns nothing to differentiate")


@once_per_session
def gives_floats(suite: Any) -> bool:
    return any(jnp.issubdtype(output.dtype, jnp.inexact) for output in suite.traced_outputs())


def derivative(loss: Callable[[Any], Any], tree: Any, places: Sequence[int]) -> list[Any]:
    """Return the gradients of a loss of a tree by its leaves at `places`.

    The forward mode is used if the loss allows no other.
    """
    leaves = jax.tree.leaves(tree)
    values = [leaves[i] for i in places]

    def loss_of(values: Sequence[Any]) -> Any:
        return loss(replace_leaves(tree, dict(zip(places, values))))

    return in_either_mode(lambda: jax.grad(loss_of)(values), lambda: jax.jacfwd(loss_of)(values))


def summed_loss(suite: Any, instance: Any, examples: Any) -> Any:
    """Return a scalar in which every inexact element of every output has its own weight.

    The calls may update the instance.
    """
    return weighted_sum([suite.call_on_copies(instance, *arguments) for arguments in examples])


def grads(suite: Any, instance: Any, places: Sequence[int], examples: Any) -> list[Any]:
    """Return the gradients of the loss over the examples, by the leaves at `places`."""
    return derivative(lambda instance: summed_loss(suite, instance, examples), instance, places)


@once_per_session
def compiled_grads(suite: Any) -> Compiled:
    """Compile the loss of an example and its gradients, those by the arguments last."""

    def loss_and_slopes(instance: Any, *arguments: Any) -> list[Any]:
        both = instance, arguments
        try:
            slopes = derivative(
                lambda pair: summed_loss(suite, pair[0], [pair[1]]), both, inexact_places(both)
            )
        except ANY_ERROR:  # it may have none with respect to its arguments
            slopes = grads(suite, instance, inexact_places(instance), [arguments])
        return [summed_loss(suite, instance, [arguments]), *slopes]

    return Compiled(loss_and_slopes, suite.mixed)


def loss_and_grads(suite: Any, instance: Any, arguments: Any) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return the loss of one example, and its gradients by the inexact leaves, by path."""
    loss, *slopes = map(np.asarray, compiled_grads(suite)(instance, *arguments))
    names = [name for name, leaf in named_leaves(instance) if is_inexact(leaf)]
    return loss, dict(zip(names, slopes))


def results_and_grads(
    call: Callable[..., Any],
    instance: Any,
    arguments: Any,
    places: Sequence[int],
    compile: Callable[..., Any],
) -> tuple[list[Any], dict[str, Any]]:
    """Return the arrays of a call, and gradients of their weighted sum by the leaves at `places`.

    The gradients are given by path.
    """
    named = named_leaves(instance)

    def loss(values: Mapping[int, Any]) -> tuple[Any, list[Any]]:
        results = arrays_of(call(replace_leaves(instance, values), *arguments))
        return weighted_sum(results), results

    run = compile(jax.value_and_grad(loss, has_aux=True))
    (_, results), slopes = run({i: named[i][1] for i in places})
    return results, {named[i][0]: slope for i, slope in slopes.items()}


# Steps of an optimiser.


def step(suite: Any, instance: Any, moments: Any, examples: Any) -> tuple[list[Any], Any]:
    """Return the trained leaves after a step of AdamW, and the optimiser's next state."""
    leaves, places = jax.tree.leaves(instance), suite.trained(instance)
    return descend([leaves[i] for i in places], grads(suite, instance, places, examples), moments)


def scan_program(suite: Any) -> tuple[Callable[[Any], Any], Any]:
    """Return a training step as the body of a loop, and its first carry.

    For a class that trains nothing, the body hands the instance on.
    """
    instance = suite.cached_instance()
    value, back = suite.to_arrays(instance)
    examples = suite.arguments(0), suite.arguments(1)
    trains = suite.called() and bool(suite.trained(instance))

    def advance(carry: Any) -> Any:
        inside, moments = back(carry[0]), carry[1]
        if trains:
            values, moments = step(suite, inside, moments, examples)
            inside = replace_leaves(inside, dict(zip(suite.trained(inside), values)))
        return suite.to_arrays(inside)[0], moments

    return advance, (value, start_of(suite, instance))


def start_of(suite: Any, instance: Any) -> Any:
    """Return the optimiser's first state in NumPy arrays."""
    leaves = jax.tree.leaves(instance)
    return start([leaves[i] for i in suite.trained(instance)])


def stepped(suite: Any, instance: Any, steps: int = 1) -> Any:
    """Return the instance after some steps of AdamW.

    Only the gradients need to be compiled.
    """
    examples = suite.arguments(0), suite.arguments(1)
    moments, places = start_of(suite, instance), suite.trained(instance)
    names = [name for name, _ in named_leaves(instance)]
    with doing(type(instance).__name__, "a training step"):
        for _ in range(steps):
            slopes = grads_at(suite, instance, examples)
            wrong = [names[i] for i in places if names[i] not in slopes]
            message = "it is trained, and its dtype has no gradient"
            check(not wrong, ", ".join(wrong), message, "integers are counters, not parameters")
            leaves = jax.tree.leaves(instance)
            old = [np.asarray(leaves[i]) for i in places]
            new, moments = descend(old, [slopes[names[i]] for i in places], moments, np)
            new = [on_device(v, was.dtype) for v, was in zip(new, old)]
            instance = replace_leaves(instance, dict(zip(places, new)))
    return instance


@once_per_session
def at_point(suite: Any, seed: int) -> tuple[Any, Any]:
    """Return an instance and two examples at a point: as they are for seed 0, else with random floats.

    For an even seed, the floats are positive.
    """
    examples = suite.arguments(2 * seed), suite.arguments(2 * seed + 1)
    if not seed:
        return suite.cached_instance(), examples
    instance = suite.instance_at(seed)
    tree, back = suite.to_tree(instance)
    near = {*suite.held_fixed(instance), *within_domain(suite)}
    drawn, examples = randomize((tree, examples), seed, near)
    return back(drawn), randomize_indices(examples, seed, max(axis_sizes(tree), default=2))


def counted(suite: Any, instance: Any) -> Any:
    """Return the instance with counters that no longer stand at 0.

    A term weighted by a share of zero counts would show nowhere.
    """
    for path, leaf in suite.named(instance).items():
        if is_array(leaf) and jnp.issubdtype(leaf.dtype, jnp.signedinteger) and not np.any(leaf):
            instance = suite.with_array(instance, path, counted_on(leaf))
    return instance


@once_per_session
def within_domain(suite: Any) -> list[int]:
    """Return the positions of floats that may have one sign only, in an instance and two examples.

    Without declarations, only the examples show that a value such as a scale is positive. A failure below
    zero is no fault of such a class.
    """
    if suite.declares_arrays():
        return []
    points = [
        (
            suite.to_tree(suite.cached_instance(seed))[0],
            (suite.arguments(2 * seed), suite.arguments(2 * seed + 1)),
        )
        for seed in range(EXAMPLES)
    ]
    alike = all(structure(point) == structure(points[0]) for point in points)
    return places_of_one_sign(points) if alike else []


def with_other_tables(suite: Any, seed: int) -> Any:
    """Return an example for a seed. If arrays of integers are looked up, the examples differ."""
    instance = suite.cached_instance()
    dtypes = [leaf.dtype for leaf in arrays_of(instance) if leaf.size > 1]
    if not any(jnp.issubdtype(dtype, jnp.integer) for dtype in dtypes):
        return instance
    built = [instance, *(suite.cached_instance(other) for other in (1, 2))]
    alike = [candidate for candidate in built if structure(candidate) == structure(instance)]
    return alike[seed % len(alike)]
