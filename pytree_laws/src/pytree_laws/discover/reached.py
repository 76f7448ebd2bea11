"""Instances that several uses have led to: their counters are no more those of the start."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from ..declare.methods import Method
from ..inspect.arrays import same_bits
from ..inspect.trees import avals, new_carry
from ..report import ANY_ERROR
from ..session import once_per_session
from .method_programs import usable

MOST_STEPS = 8
MAX_REACHED = 3
Reached = tuple[str, Any]
"""By how many uses of what, and the instance."""


@once_per_session
def reached_instances(suite: Any) -> tuple[Reached, ...]:
    """The example after one use that counts, and after as many as arrays have places; none where nothing counts."""
    if suite.is_mutable:
        return tuple(_after(suite, "call", lambda i, seed: _called(suite, i, seed)) if suite.called() else ())
    for method in usable(suite):
        reached = [] if method.found else _after(suite, method.name, _step_of(suite, method))
        if reached:
            return tuple(reached)
    return ()


def _step_of(suite: Any, method: Method) -> Callable[[Any, int], Any]:
    return lambda instance, seed: new_carry(
        method.use(suite.copied(instance), *method.arguments(seed)), instance
    )


def _called(suite: Any, instance: Any, seed: int) -> Any:
    copied = suite.copied(instance)
    suite.call(copied, *suite.arguments(seed))
    return copied


def _after(suite: Any, name: str, step: Callable[[Any, int], Any]) -> list[Reached]:
    """The instances that steps lead to, where a step keeps the form and counts something."""
    instance = start = suite.cached_instance()
    sizes = {size for v in suite.named(start).values() for size in v.shape if 1 < size <= MOST_STEPS}
    counts, reached = sorted({1, *sizes})[:MAX_REACHED], list[Reached]()
    for seed in range(counts[-1]):
        try:
            instance = step(instance, seed + 1)  # the example itself has the arguments of seed 0
            if type(instance) is not type(start) or not _counts(suite, start, instance):
                return []
        except ANY_ERROR:  # of which other laws tell
            return []
        if seed + 1 in counts:
            reached.append((f"{seed + 1} of `{name}`", instance))
    return reached


def _counts(suite: Any, start: Any, instance: Any) -> bool:
    """Whether an instance has the form of the start, and other integers."""
    before, after = suite.named(start), suite.named(instance)
    integers = [path for path, v in before.items() if jnp.issubdtype(v.dtype, jnp.integer)]
    same_form = avals(before) == avals(after)
    return same_form and any(not same_bits(before[path], after[path]) for path in integers)
