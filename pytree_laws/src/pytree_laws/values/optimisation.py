"""Training: a scalar to differentiate, and steps of AdamW."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from ..inspect.arrays import is_inexact
from ..inspect.classes import has_helper
from ..inspect.trees import named_leaves
from .example_values import weights

T = TypeVar("T")


def adamw(value: Any, grad: Any, moments: Any, count: Any, xp: Any = jnp) -> tuple[Any, Any]:
    """Compute a step of AdamW for one parameter, with a rate of 0.05 and a decay of 0.1.

    The step is computed in at least 32 bits, because 1 - 0.999 is 0 in bfloat16. `xp` is `jax.numpy`, or
    `numpy` if no trace is needed.
    """
    grad = xp.conj(grad).astype(moments[0].dtype)
    mean = 0.9 * moments[0] + 0.1 * grad
    square = 0.999 * moments[1] + 0.001 * xp.real(grad * xp.conj(grad))
    time = count.astype(square.dtype)
    scale = xp.sqrt(square / (1 - 0.999**time)) + 1e-6
    push = mean / (1 - 0.9**time).astype(mean.dtype) / scale.astype(mean.dtype)
    is_finite = xp.isfinite(value)  # an element that is infinite on purpose stays
    start = xp.where(is_finite, value, xp.zeros_like(value))
    moved = start - 0.05 * (push + 0.1 * start.astype(push.dtype)).astype(value.dtype)
    return xp.where(is_finite, moved, value), (mean, square)


def start(values: Sequence[Any]) -> Any:
    """Return the initial state of the optimiser in NumPy arrays."""
    wide = [np.promote_types(v.dtype, np.float32) for v in values]
    zeros = [np.zeros(jnp.shape(v), w) for v, w in zip(values, wide)]
    return np.int32(0), [(zero, np.real(zero)) for zero in zeros]


def descend(
    values: Sequence[Any], grads: Sequence[Any], moments: Any, xp: Any = jnp
) -> tuple[list[Any], Any]:
    """Compute a step of AdamW for all parameters, and the next state of the optimiser."""
    count, pairs = moments
    count = count + 1
    # What comes of a gradient that is too large is seen in the result.
    with np.errstate(over="ignore", invalid="ignore"):
        moved = [adamw(v, g, m, count, xp) for v, g, m in zip(values, grads, pairs)]
    return [value for value, _ in moved], (count, [pair for _, pair in moved])


def in_either_mode(reverse: Callable[[], T], forward: Callable[[], T]) -> T:
    """Differentiate in reverse, or forward if jax has no reverse mode, as for a `while_loop`."""
    try:
        return reverse()
    except ValueError as error:
        if "Reverse-mode differentiation" not in str(error):
            raise
    return forward()


def weighted(output: Any) -> Any:
    """Return a real scalar in which each element of an output has its own weight."""
    return jnp.sum(weighted_terms(output))


def weighted_sum(tree: Any) -> Any:
    """Return the sum of `weighted` over all inexact arrays of a tree."""
    return sum((weighted(leaf) for leaf in jax.tree.leaves(tree) if is_inexact(leaf)), 0.0)


def weighted_terms(output: Any) -> Any:
    """Return the terms of `weighted`, two for each element. Non-finite terms stay, without a gradient."""
    wide = output.astype(np.promote_types(output.dtype, np.float32))
    real = jnp.stack([jnp.real(wide), jnp.imag(wide)])
    weight = weights(11, real.shape, str(real.dtype))
    is_finite = jnp.isfinite(real)
    safe = jnp.where(is_finite, real, 0)
    return jnp.where(is_finite, weight * (safe + safe**2), jax.lax.stop_gradient(real))


def has_spec(node: Any) -> bool:
    """Whether the class of a node has a filter spec `trainable()`."""
    return has_helper(type(node), "trainable")


def trained_names(tree: Any) -> set[str]:
    """Return the paths that a sub-tree trains: by `trainable()` of nodes, else all inexact arrays."""
    spec = jax.tree.map(
        lambda node: node.trainable() if has_spec(node) else is_inexact(node), tree, is_leaf=has_spec
    )
    return {name for name, mark in named_leaves(spec) if mark is True}
