"""Classes of unannotated arguments, by the attributes that the code reads, as in `self.model.step(…)`."""

import ast
import dataclasses
import functools
import inspect
import types
from collections.abc import Iterable, Iterator
from typing import Any, Union

import jax

from ...values.annotations import EMPTY
from ..class_sources import attributes_used, sources_of
from ..kinds import kind_of
from .lookalikes import KINDS, MAX_CLASSES, attributes_of, classes_in, needs

ORDINARY = frozenset(
    name
    for kind in (jax.Array, dict, list, str, int, float, complex, types.FunctionType)
    for name in dir(kind)
)
"""Attributes of arrays, numbers, strings and containers, which identify no class."""


def parts_by_use(cls: type, parameters: Iterable[inspect.Parameter]) -> dict[str, Any]:
    """Map each unannotated argument to the union of classes that have the attributes read from it."""
    unknown = [part.name for part in parameters if part.annotation is EMPTY]
    asked = attributes_asked(cls) if unknown else {}
    fitting = {name: classes_with(cls, asked.get(name, set[str]()) - ORDINARY) for name in unknown}
    return {name: Union[tuple(classes)] for name, classes in fitting.items() if classes}  # noqa: UP007


def classes_with(cls: type, attributes: set[str]) -> list[type]:
    """Return pytrees and settings of the package that have all attributes, the simplest first."""
    if not attributes:
        return []
    others = (other for other in classes_in(cls.__module__.partition(".")[0]) if other not in cls.__mro__)
    fitting = [
        other
        for other in dict.fromkeys(others)
        if attributes <= attributes_of(other) | attributes_used(other)[1]
        and (kind_of(other).name in KINDS or (dataclasses.is_dataclass(other) and len(attributes) > 1))
    ]
    return sorted(fitting, key=needs)[:MAX_CLASSES]


@functools.cache
def attributes_asked(cls: type) -> dict[str, set[str]]:
    """Map each field and constructor argument to the attributes that the class reads from it."""
    asked: dict[str, set[str]] = {}
    for tree in sources_of(cls):
        for name, attribute in [*asked_of_fields(tree), *asked_of_arguments(tree)]:
            asked.setdefault(name.lstrip("_"), set()).add(attribute)
    return asked


def asked_of_fields(tree: ast.AST) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(
                value=ast.Attribute(value=ast.Name(id="self"), attr=name), attr=attribute, ctx=ast.Load()
            ):
                yield name, attribute
            case _:
                pass


def asked_of_arguments(tree: ast.AST) -> Iterator[tuple[str, str]]:
    constructors = (
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == "__init__"
    )
    for node in (node for constructor in constructors for node in ast.walk(constructor)):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attribute, ctx=ast.Load()) if name != "self":
                yield name, attribute
            case _:
                pass
