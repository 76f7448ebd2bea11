"""What a pytree holds beside its leaves: in its static values, its attributes and its classes."""

import contextlib
from collections.abc import Iterator
from typing import Any

import jax
from jax.core import Tracer

from ..inspect.arrays import is_array
from ..inspect.references import cached_values, carried, reachable
from ..inspect.trees import arrays_of, attributes, nodes, parts_of_aux, structure


def tracers_beside(instance: Any) -> list[str]:
    """The places of tracers that are no leaves."""
    parts = carried(instance, jax.tree.leaves(instance))
    return [place for place, value in parts if isinstance(value, Tracer)]


def outside_of(instance: Any) -> Iterator[tuple[str, Any]]:
    """What can be reached without the leaves, and by the treedef alone, with its places; nothing that is made anew."""
    yield from carried(instance, arrays_of(instance))
    treedef = structure(instance)
    with contextlib.suppress(Exception):  # P3 fails on it
        leaves = [object() if is_array(v) else v for v in jax.tree.leaves(instance)]
        first, second = (treedef.unflatten(leaves) for _ in range(2))
        others = [value for _, value in reachable(second, "")]
        for place, value in reachable(first, type(instance).__name__, cached_values(first)):
            if not is_array(value) or any(value is other for other in others):
                yield place, value


def static_parts(instance: Any) -> Iterator[tuple[str, Any]]:
    """The parts of the aux data of all nodes, with the attributes that hold them."""
    for place, node, aux in nodes(instance):
        for value in parts_of_aux(aux):
            names = [f".{name}" for name, other in attributes(node).items() if other is value]
            yield place + "".join(names[:1]), value
