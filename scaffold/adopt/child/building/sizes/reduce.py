"""Small sizes in the place of defaults of full size, with which an instance takes minutes and gigabytes."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import prod
from typing import Any

from pytree_laws.inspect.trees import arrays_of

from ...values.annotations import parameters_of
from ...values.sizes import LARGEST
from ...values.sources import Source, refer
from ..built import Built, Failure, builds, instance_of

FACTORS = (16, 8, 4, 2)
"""By what sizes are divided, all by the same, so that what fits stays so."""
HEAVY = 2**18
"""How many elements an instance has that takes long."""
MAKERS = ("tiny", "debug", "nano", "mini", "small")
"""Names of class methods that give a small configuration."""
_LAYERS = re.compile(r"(layers?|depth|blocks)$")
_IDS = re.compile(r"_(id|idx|index)$")


def with_reduced(cls: type, built: Built) -> Iterator[Built]:
    """A way to build a class, after those with smaller sizes, where it is heavy or only says sizes."""
    weight = weight_of(built)
    if weight == 0 or weight > HEAVY:
        for other in reductions(cls, built):
            if builds(cls, other, Failure()) and (weight == 0 or weight_of(other) < weight):
                yield other
                if weight:
                    break
    yield built


def weight_of(built: Built) -> int:
    """How many elements the arrays of an instance have."""
    return sum(prod(getattr(leaf, "shape", ())) for leaf in arrays_of(instance_of(built.source)))


def reductions(cls: type, built: Built) -> Iterator[Built]:
    """The same way with the small configuration that a class has itself, and with its default sizes divided."""
    reference = refer(cls)
    if built.positional < 0 or built.has_state or built.maker.text != reference.text:
        return
    defaults = sizes_by_default(cls, built)
    if not defaults:
        return
    for name in MAKERS if not built.arguments else ():
        if isinstance(vars(cls).get(name), classmethod | staticmethod):
            yield replace(built, maker=reference.but(f"{reference.text}.{name}"))
    for factor in FACTORS:
        values = {name: reduced(name, value, factor) for name, value in defaults.items()}
        changed = {name: Source(repr(value)) for name, value in values.items() if value != defaults[name]}
        yield replace(built, arguments={**built.arguments, **changed})


def sizes_by_default(cls: type, built: Built) -> Mapping[str, Any]:
    """The numbers, and tuples of numbers, that a constructor takes by default; none where all of them are small."""
    try:
        parameters = parameters_of(cls, cls)
    except (TypeError, ValueError):
        return {}
    sizes = {
        parameter.name: parameter.default
        for parameter in parameters
        if parameter.name not in built.arguments and is_size(parameter.default)
    }
    numbers = [number for value in sizes.values() for number in (value if type(value) is tuple else [value])]
    return sizes if max(numbers, default=0) >= LARGEST else {}


def is_size(value: Any) -> bool:
    return type(value) is int or (
        type(value) is tuple and bool(value) and all(type(part) is int for part in value)
    )


def reduced(name: str, value: Any, factor: int) -> Any:
    """A size divided; the number of layers is two, and what indexes a table of that size is its first row."""
    if type(value) is tuple:
        return tuple(reduced(name, part, factor) for part in value)
    if _IDS.search(name):
        return 0
    if _LAYERS.search(name):
        return min(value, 2)
    return value // factor if value >= LARGEST // 2 else value
