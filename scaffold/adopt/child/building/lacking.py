"""Classes that nobody can build without a class of the user's own, and those that are parts of others."""

import ast
from collections.abc import Mapping
from typing import Any

from ..classes.class_sources import sources_of
from ..classes.kinds import kind_of
from ..values.annotations import is_shaped, parameters_of, required, union_members
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
    """Whether a class is abstract, and all that derive from it are; what stands for arrays of a shape is none."""
    return (
        isinstance(kind, type)
        and not is_shaped(kind)
        and all(kind_of(each).name == "abstract" for each in (kind, *subclasses(kind)))
    )


def left_to_subclasses(cls: type) -> str:
    """Why a class is a part of others: its methods read an attribute that it never has, and that what inherits from it has."""
    below = subclasses(cls)
    if not below or hasattr(cls, "__getattr__"):
        return ""
    read, stored, texts = attributes_used(cls)
    lacking = sorted(read - stored - texts - named_by_class(cls))
    for name in lacking:
        owners = [other for other in below if name in named_by_class(other) | attributes_used(other)[1]]
        if owners:
            return f"its methods read `self.{name}`, which `{owners[0].__name__}` has, and other classes that inherit from it"
    return ""


def named_by_class(cls: type) -> set[str]:
    """The names that a class and its bases have, as values or by annotations."""
    return {name for owner in cls.__mro__ for name in (*vars(owner), *vars(owner).get("__annotations__", {}))}


def attributes_used(cls: type) -> tuple[set[str], set[str], set[str]]:
    """The attributes of `self` that the sources of a class read, those that they store, and all words in quotes."""
    read, stored, texts = set[str](), set[str](), set[str]()
    for node in (node for tree in sources_of(cls) for node in ast.walk(tree)):
        match node:
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=context):
                (read if isinstance(context, ast.Load) else stored).add(name)
            case ast.Constant(value=str(text)):
                texts.add(text)
            case _:
                pass
    return read, stored, texts
