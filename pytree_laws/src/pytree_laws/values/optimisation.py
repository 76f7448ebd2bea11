"""Training: a scalar to differentiate, and steps of AdamW."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from ..inspect.arrays import is_inexact
from ..inspect.trees import named_leaves
from .example_values import weights

T = TypeVar("T")


def adamw(value: Any, grad: Any, moments: Any, count: Any, xp: Any = jnp) -> tuple[Any, Any]:
    """One parameter's step of AdamW, with a rate of 0.05 and a decay of 0.1.

    The step is computed in 32 bits at least: in bfloat16, 1 - 0.999 is 0. `xp` is
    `jax.numpy`, or `numpy` where nothing has to be traced or compiled.
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
    """The optimiser's first state, in NumPy's arrays."""
    wide = [np.promote_types(v.dtype, np.float32) for v in values]
    zeros = [np.zeros(jnp.shape(v), w) for v, w in zip(values, wide)]
    return np.int32(0), [(zero, np.real(zero)) for zero in zeros]


def descend(
    values: Sequence[Any], grads: Sequence[Any], moments: Any, xp: Any = jnp
) -> tuple[list[Any], Any]:
    """A step of AdamW for all parameters, and the next state of the optimiser."""
    count, pairs = moments
    count = count + 1
    # What comes of a gradient that is too large is seen in the result.
    with np.errstate(over="ignore", invalid="ignore"):
        moved = [adamw(v, g, m, count, xp) for v, g, m in zip(values, grads, pairs)]
    return [value for value, _ in moved], (count, [pair for _, pair in moved])


def in_either_mode(reverse: Callable[[], T], forward: Callable[[], T]) -> T:
    """Derivatives in reverse, or forward where jax says that there are no others, as of a while_loop."""
    try:
        return reverse()
    except ValueError as error:
        if "Reverse-mode differentiation" not in str(error):
            raise
    return forward()


def weighted(output: Any) -> Any:
    """A real scalar on which every element of an output has its own weight."""
    return jnp.sum(weighted_terms(output))


def weighted_sum(tree: Any) -> Any:
    """The sum of these over all inexact arrays of a tree."""
    return sum((weighted(leaf) for leaf in jax.tree.leaves(tree) if is_inexact(leaf)), 0.0)


def weighted_terms(output: Any) -> Any:
    """The terms of that sum: two for each element of an output; what is no finite number, as it is, without a slope."""
    wide = output.astype(np.promote_types(output.dtype, np.float32))
    real = jnp.stack([jnp.real(wide), jnp.imag(wide)])
    weight = weights(11, real.shape, str(real.dtype))
    is_finite = jnp.isfinite(real)
    safe = jnp.where(is_finite, real, 0)
    return jnp.where(is_finite, weight * (safe + safe**2), jax.lax.stop_gradient(real))


def has_spec(node: Any) -> bool:
    """Whether the class of a node says by a `trainable()` what is trained; a `__getattr__` may give anything by that name."""
    return callable(getattr(type(node), "trainable", None))


def trained_names(tree: Any) -> set[str]:
    """The paths that a sub-tree trains: each node by its own `trainable()`, if it has one."""
    spec = jax.tree.map(
        lambda node: node.trainable() if has_spec(node) else is_inexact(node), tree, is_leaf=has_spec
    )
    return {name for name, mark in named_leaves(spec) if mark is True}
