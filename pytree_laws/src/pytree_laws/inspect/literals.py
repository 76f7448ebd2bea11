"""The values that a class says a static field may be, `style: Literal["long", "short"]`."""

import typing
from typing import Any, Literal

from ..report import ANY_ERROR


def literal_values(cls: type, name: str) -> tuple[Any, ...]:
    """What the annotation of a field lists; nothing of another annotation, or of one that cannot be evaluated."""
    try:
        annotation = typing.get_type_hints(cls).get(name)
    except ANY_ERROR:
        return ()
    return typing.get_args(annotation) if typing.get_origin(annotation) is Literal else ()
