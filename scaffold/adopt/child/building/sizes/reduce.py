"""Small sizes in place of full-size defaults, which cost minutes and gigabytes."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import prod
from typing import Any

from pytree_laws.inspect.trees import arrays_of

from ...values.annotations import known_parameters
from ...values.sizes import LARGEST
from ...values.sources import Source, refer
from ..built import Built, Failure, builds, instance_of

FACTORS = (16, 8, 4, 2)
"""Factors by which all sizes are divided alike, so that sizes that fit still fit."""
HEAVY = 2**18
"""Number of elements above which an instance takes long."""
SMALL_MAKERS = ("tiny", "debug", "nano", "mini", "small")
"""Names of class methods that give a small configuration."""
_LAYERS = re.compile(r"(layers?|depth|blocks)$")
_IDS = re.compile(r"_(id|idx|index)$")


def with_reduced(cls: type, built: Built) -> Iterator[Built]:
    """Yield smaller variants if a construction is heavy or array-free, and then the construction itself.

    A construction without arrays may be a configuration, which only holds sizes.
    """
    weight = weight_of(built)
    if weight == 0 or weight > HEAVY:
        for other in reductions(cls, built):
            if builds(cls, other, Failure()) and (weight == 0 or weight_of(other) < weight):
                yield other
                if weight:
                    break
    yield built


def weight_of(built: Built) -> int:
    """Return the number of elements in all arrays of an instance."""
    return sum(prod(getattr(leaf, "shape", ())) for leaf in arrays_of(instance_of(built.source)))


def reductions(cls: type, built: Built) -> Iterator[Built]:
    """Yield the small configurations that a class defines, and variants with divided default sizes."""
    reference = refer(cls)
    if built.positional < 0 or built.has_state or built.maker.text != reference.text:
        return
    defaults = sizes_by_default(cls, built)
    if not defaults:
        return
    for name in SMALL_MAKERS if not built.arguments else ():
        if isinstance(vars(cls).get(name), classmethod | staticmethod):
            yield replace(built, maker=reference.but(f"{reference.text}.{name}"))
    for factor in FACTORS:
        values = {name: reduced(name, value, factor) for name, value in defaults.items()}
        changed = {name: Source(repr(value)) for name, value in values.items() if value != defaults[name]}
        yield replace(built, arguments={**built.arguments, **changed})


def sizes_by_default(cls: type, built: Built) -> Mapping[str, Any]:
    """Return the defaults that are ints or tuples of ints, or nothing if all are below `LARGEST`."""
    sizes = {
        parameter.name: parameter.default
        for parameter in known_parameters(cls, cls)
        if parameter.name not in built.arguments and is_size(parameter.default)
    }
    numbers = [number for value in sizes.values() for number in (value if type(value) is tuple else [value])]
    return sizes if max(numbers, default=0) >= LARGEST else {}


def is_size(value: Any) -> bool:
    return type(value) is int or (
        type(value) is tuple and bool(value) and all(type(part) is int for part in value)
    )


def reduced(name: str, value: Any, factor: int) -> Any:
    """Return a size divided by a factor, if the size is large.

    A number of layers becomes at most 2. An index into a table of that size becomes 0.
    """
    if type(value) is tuple:
        return tuple(reduced(name, part, factor) for part in value)
    if _IDS.search(name):
        return 0
    if _LAYERS.search(name):
        return min(value, 2)
    return value // factor if value >= LARGEST // 2 else value
