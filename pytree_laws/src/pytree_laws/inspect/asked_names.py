"""Methods of a class whose source reads a name from a module."""

import ast
import sys
from types import ModuleType
from typing import Any

from .branches import nodes_of
from .classes import own_classes


def methods_asking(cls: type, module: ModuleType, name: str) -> list[str]:
    """List the methods that read a name from a module, directly or through other methods of `self`."""
    functions = [pair for owner in own_classes(cls) for pair in _functions(owner)]
    asking = {function.name for owner, function in functions if _asks(owner, function, module, name)}
    while more := {each.name for _, each in functions if _calls(each, asking)} - asking:
        asking |= more
    return sorted(asking)


def _functions(owner: type) -> list[tuple[type, ast.FunctionDef]]:
    try:
        return [(owner, node) for node in nodes_of(owner) if isinstance(node, ast.FunctionDef)]
    except (OSError, TypeError, SyntaxError):  # it is in no file
        return []


def _asks(owner: type, function: ast.AST, module: ModuleType, name: str) -> bool:
    names: dict[str, Any] = vars(sys.modules.get(owner.__module__, owner))
    bases = (
        node.value for node in ast.walk(function) if isinstance(node, ast.Attribute) and node.attr == name
    )
    return any(isinstance(base, ast.Name) and names.get(base.id) is module for base in bases)


def _calls(function: ast.AST, names: set[str]) -> bool:
    attributes = (
        node for node in ast.walk(function) if isinstance(node, ast.Attribute) and node.attr in names
    )
    return any(isinstance(node.value, ast.Name) and node.value.id == "self" for node in attributes)
