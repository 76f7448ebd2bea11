"""Classes that nobody can build without a class of the user's own."""

from collections.abc import Mapping
from typing import Any

from ..classes.kinds import kind_of
from ..values.annotations import parameters_of, required, union_members
from .build import subclasses


def lacks_a_class(cls: type, said: Mapping[str, Any]) -> str:
    """Why a class waits for one of the user's own: an argument is of an abstract class that nothing known derives from."""
    try:
        parameters = required(parameters_of(cls, cls))
    except (TypeError, ValueError):
        return ""
    for parameter in parameters:
        kinds = union_members(parameter.annotation)
        if parameter.name not in said and all(map(is_without_a_class, kinds)):
            names = " or ".join(f"`{kind.__name__}`" for kind in kinds)
            return f"its `{parameter.name}` is a {names}, which is abstract, and no class here is one: `--build` gives it"
    return ""


def is_without_a_class(kind: Any) -> bool:
    """Whether a class is abstract, and all that derive from it are."""
    return isinstance(kind, type) and all(
        kind_of(each).name == "abstract" for each in (kind, *subclasses(kind))
    )
