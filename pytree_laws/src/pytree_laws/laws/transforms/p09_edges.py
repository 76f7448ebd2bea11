"""P9, at edges: gradients at arguments of zeros, at arguments equal to leaves, and elsewhere."""

import functools
from collections.abc import Callable, Container, Iterator, Sequence
from typing import Any

import jax
import numpy as np

from ...declare.leaf_spec import TRAINED
from ...discover.evaluation import of_one_sign
from ...engine.registry import Checks
from ...inspect.arrays import fillable, is_floating, on_device
from ...kinds.slopes import POINTS
from ...kinds.suite import Suite, arguments_of_one_sign, filled
from ...report import ADVICE, FAULT, Fault, or_else
from ...trace.equation_steps import line_that_makes
from ...values.edge_values import has_nan, is_finite_around_zero, with_integers_of
from .p09_gradient import LAW

CHECKS = Checks(LAW)
EQUAL = "arguments equal to"
MOST = 3
"""Number of leaves, at most, that arguments are set to. Each costs a call and a gradient."""


@CHECKS.register()
def test_p09_no_gradient_is_nan_where_the_output_is_finite(subject: Suite) -> None:
    start, argument_lists = subject.training_example()
    zeros = "arguments of zeros"
    points = [(zeros, start, tuple(filled(subject, arguments, 0) for arguments in argument_lists))]
    points += [(f"random values of seed {seed}", *subject.at_point(seed)) for seed in range(1, POINTS)]
    points += [(label, start, given) for label, given in meetings(subject, start, argument_lists)]
    hint = "`jnp.where` hides a NaN of the value, and not that of its gradient: make what goes in safe, `jnp.where(x > 0, x, 1)`; a root needs an epsilon inside"
    for label, instance, examples in points:
        for arguments, example in zip(examples, argument_lists, strict=True):
            wrong = nan_grads(subject, instance, arguments)
            # Random integers may lie outside of what they index, where a gradient is NaN by right.
            wrong = wrong and nan_grads(subject, instance, with_integers_of(arguments, example))
            message = f"with {label} the output is finite, and the gradient is NaN"
            if wrong and label == zeros:
                near = functools.partial(filled, subject, arguments)
                is_edge = of_one_sign(argument_lists) or is_at_an_edge(subject, instance, near)
            elif wrong and label.startswith(EQUAL):
                is_edge = is_at_an_edge(subject, instance, functools.partial(moved, arguments))
            else:  # a leaf may be what no constructor gives, as an eigenvalue below zero
                is_edge = bool(wrong) and not nan_grads(subject, start, arguments)
            severity = ADVICE if is_edge else FAULT
            if wrong:
                line = line_of_nan_gradient(subject, instance, arguments)
                raise Fault(", ".join(wrong), message, hint, severity=severity, made_at=line)


@or_else("")  # it takes what cannot be traced
def line_of_nan_gradient(subject: Suite, instance: Any, arguments: Any) -> str:
    """Return the line of the class whose gradient makes the first NaN, or an empty text."""
    values, rebuilt = subject.flowing_values(instance)
    grads = jax.grad(lambda values: subject.example_loss(rebuilt(values), [arguments]))
    return line_that_makes(has_nan, jax.make_jaxpr(grads)(values), jax.tree.leaves(values))


def is_at_an_edge(subject: Suite, instance: Any, near: Callable[[float], Any]) -> bool:
    """Whether the call or its gradient is not finite for arguments near those of a point."""

    def slopes_at(by: float) -> list[Any]:
        loss, grads = subject.loss_and_grads(instance, near(by))
        return [np.asarray(loss), *grads.values()]

    return not is_finite_around_zero(slopes_at)


def moved(arguments: Any, by: float) -> Any:
    """Add the same number to all floats of the arguments."""
    return jax.tree.map(lambda leaf: leaf + by if is_floating(leaf) else leaf, arguments)


def meetings(subject: Suite, instance: Any, examples: Sequence[Any]) -> Iterator[tuple[str, Sequence[Any]]]:
    """Yield the examples with arguments equal to a leaf of their shape, with a label.

    For example, a point lies at the centre that distances are measured from.
    """
    leaves = {name: leaf for name, leaf in subject.named(instance).items() if is_floating(leaf) and leaf.ndim}
    for name, leaf in [*leaves.items()][:MOST]:
        places = [places_like(subject, leaf, arguments) for arguments in examples]
        if any(places):
            met = (as_leaf(leaf, *pair) for pair in zip(examples, places, strict=True))
            yield f"{EQUAL} `{name}`", tuple(met)


def places_like(subject: Suite, leaf: Any, arguments: Sequence[Any]) -> set[int]:
    """Return the positions of arguments whose last axes are those of a leaf, except those of one sign."""
    free = enumerate(fillable(arguments, subject.carry))
    places = {i for i, is_plain in free if is_plain and np.shape(arguments[i])[-leaf.ndim :] == leaf.shape}
    return places - arguments_of_one_sign(subject)


def as_leaf(leaf: Any, arguments: Sequence[Any], places: Container[int]) -> list[Any]:
    """Set the arguments at these positions to a leaf."""
    pairs = enumerate(arguments)
    return [on_device(np.broadcast_to(leaf, v.shape), v.dtype) if i in places else v for i, v in pairs]


@or_else(())  # a check in the call may refuse the values
def nan_grads(subject: Suite, instance: Any, arguments: Any) -> Sequence[str]:
    """Return the trained paths whose gradient has NaN, although the loss is finite."""
    loss, grads = subject.loss_and_grads(instance, arguments)
    wrong = [name for name, grad in grads.items() if has_nan(grad)]
    return [name for name in wrong if subject.role(name) in TRAINED and np.isfinite(loss)]
