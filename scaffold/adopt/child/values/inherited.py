"""Annotations that an override leaves out, and the arguments of generic bases."""

import inspect
import typing
from collections.abc import Iterable
from typing import Any

from .annotations import SILENT, known_parameters


def with_inherited(cls: type, name: str, parameters: Iterable[inspect.Parameter]) -> list[inspect.Parameter]:
    """Return the parameters of a method, with missing annotations taken from the overridden methods.

    A bound type variable is replaced by its argument.
    """
    said: dict[str, Any] = {}
    for owner in cls.__mro__[1:]:
        for part in parameters_in(owner, name):
            if part.annotation not in SILENT:
                said.setdefault(part.name, part.annotation)
    bound = bound_variables(cls)
    wanted = [
        part.replace(annotation=said[part.name]) if part.annotation in SILENT and part.name in said else part
        for part in parameters
    ]
    return [
        part.replace(annotation=bound[part.annotation])
        if isinstance(part.annotation, typing.TypeVar) and part.annotation in bound
        else part
        for part in wanted
    ]


def parameters_in(owner: type, name: str) -> list[inspect.Parameter]:
    """Return the parameters of a method that a class itself defines, or nothing."""
    method = vars(owner).get(name)
    if not inspect.isfunction(method) and not hasattr(method, "__wrapped__"):
        return []
    return known_parameters(method, owner)


def bound_variables(cls: type) -> dict[Any, Any]:
    """Map the type variables of generic bases to arguments, as in `class Loss(Base[Model])`."""
    bound: dict[Any, Any] = {}
    for owner in cls.__mro__:
        for base in vars(owner).get("__orig_bases__", ()):
            variables = getattr(typing.get_origin(base), "__parameters__", ())
            for variable, argument in zip(variables, typing.get_args(base), strict=False):
                bound.setdefault(variable, bound.get(argument, argument))
    return {variable: kind for variable, kind in bound.items() if not isinstance(kind, typing.TypeVar)}
