"""Has tracers say at once that they have no `sharding`, which NNX asks each one that is stored.

jax prints the operations that led to the tracer for a message that nobody sees, since its `__getattr__` has another one:
a fifth of what the constructor of a module takes to trace.
"""

import functools
from contextlib import AbstractContextManager
from typing import Any

from .replace import replaced

SHARDING = "jax._src.core", "Tracer.sharding"


def quick_sharding() -> AbstractContextManager[None]:
    """Within it a tracer that is asked for its `sharding` prints nothing for that."""
    return replaced(SHARDING, _is_property, _quick)


def _is_property(attribute: Any) -> bool:
    return isinstance(attribute, property)


@functools.cache
def _quick(_: Any) -> property:
    def sharding(tracer: Any) -> Any:
        raise AttributeError("sharding")  # `Tracer.__getattr__` goes on from here

    return property(sharding)
