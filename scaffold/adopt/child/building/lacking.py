"""Classes that need a class from the user, and classes that are parts of their subclasses."""

from collections.abc import Mapping
from typing import Any

from ..classes.class_sources import attributes_used
from ..classes.heirs import import_heirs
from ..classes.kinds import kind_of
from ..classes.uses.lookalikes import attributes_of, subclasses
from ..values.annotations import (
    is_callable_type,
    is_shaped,
    known_parameters,
    protocol_members,
    required,
    union_members,
)


def lacks_a_class(cls: type, said: Mapping[str, Any]) -> str:
    """Return the reason if a required argument has an abstract type that no known class implements."""
    for parameter in required(known_parameters(cls, cls)):
        kinds = union_members(parameter.annotation)
        if parameter.name not in said and all(map(is_without_a_class, kinds)):
            names = " or ".join(f"`{kind.__name__}`" for kind in kinds)
            return f"its `{parameter.name}` is a {names}, which is abstract, and no class here is one: `--build` gives it"
    return ""


def is_without_a_class(kind: Any) -> bool:
    """Whether a class and all its subclasses are abstract. Array and function types do not count."""
    return (
        isinstance(kind, type)
        and not (is_shaped(kind) or is_callable_type(kind) or is_protocol_of_call(kind))
        and all(kind_of(each).name == "abstract" for each in (kind, *subclasses(kind)))
        and not import_heirs(kind)
    )


def is_protocol_of_call(kind: type) -> bool:
    """Whether a protocol asks only for `__call__`, so that a function satisfies the protocol."""
    return protocol_members(kind) == {"__call__"}


def left_to_subclasses(cls: type) -> str:
    """Return the reason if methods of a class read an attribute that only its subclasses have."""
    below = subclasses(cls)
    if not below or hasattr(cls, "__getattr__"):
        return ""
    read, stored, texts = attributes_used(cls)
    lacking = sorted(read - stored - texts - attributes_of(cls))
    for name in lacking:
        owners = [other for other in below if name in attributes_of(other) | attributes_used(other)[1]]
        if owners:
            return f"its methods read `self.{name}`, which `{owners[0].__name__}` has, and other classes that inherit from it"
    return ""
