"""Attributes that the methods of a class change in place, according to their source."""

import ast
import itertools
import re
from collections.abc import Iterator
from typing import Any

from .branches import nodes_of
from .classes import own_classes
from .trees import attributes, nodes

_CONSTRUCTORS = "__init__", "__new__", "__post_init__", "__setstate__"
_METHODS = (
    *("add", "append", "appendleft", "clear", "discard", "extend", "insert", "pop"),
    *("popitem", "popleft", "remove", "reverse", "setdefault", "sort", "update"),
)
"""Methods that change lists, dicts, sets and deques."""
_GIVE = "pop", "popitem", "popleft", "setdefault"
"""Methods among these that return a value."""


def changed_in_place(cls: type) -> frozenset[str]:
    """Return the attributes of `self` that methods other than constructors change in place."""
    members = (member for owner in own_classes(cls) for member in _members(owner))
    functions = (member for member in members if isinstance(member, ast.FunctionDef))
    methods = (function for function in functions if function.name not in _CONSTRUCTORS)
    return frozenset(filter(None, (_changed_attribute(node) for each in methods for node in _changes(each))))


def may_change(instance: Any, where: str) -> bool:
    """Whether methods in an instance change an attribute named in the path `where`.

    If the path names no attribute, a change of any attribute counts.
    """
    held = [instance, *(node for _, node, _ in nodes(instance))]  # which may be a tuple
    changed = {name for node in held for name in changed_in_place(type(node))}
    named = {name for node in held for name in attributes(node)}.intersection(re.findall(r"\w+", where))
    return bool(changed & (named or changed))


def _members(owner: type) -> list[ast.stmt]:
    """List the statements in the body of a class, or nothing without source."""
    classes = (node for node in nodes_of(owner) if isinstance(node, ast.ClassDef))
    return next((cls.body for cls in classes), [])


def _changes(function: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that may change an object in place.

    A call such as `append` returns None, so a call whose result is used belongs to a different method.
    """
    every = [*ast.walk(function)]
    dropped = {id(node.value) for node in every if isinstance(node, ast.Expr)}
    for node in every:
        called = node.func if isinstance(node, ast.Call) else None
        gives = isinstance(called, ast.Attribute) and called.attr in _GIVE
        if called is None or gives or id(node) in dropped:
            yield node


def _changed_attribute(node: ast.AST) -> str:
    """Return the attribute of `self` that an expression changes in place, or an empty string."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Attribute(value=ast.Name("self"), attr=name), attr=method)
        ):
            return name if method in _METHODS else ""
        case ast.Subscript(
            value=ast.Attribute(value=ast.Name("self"), attr=name), ctx=ast.Store() | ast.Del()
        ):
            return name
        case _:
            return ""


def computes_without_storing(owner: type, name: str) -> bool:
    """Whether functions assign a local with the name of a Variable, and none outside `__init__` stores it."""
    functions = [
        part
        for member in _members(owner)
        for part in ast.walk(member)
        if isinstance(part, ast.FunctionDef) and part.name != "__init__"
    ]
    nodes = [node for function in functions for node in ast.walk(function)]
    assigned = [target for node in nodes for target in _targets(node)]
    is_local = any(isinstance(target, ast.Name) and target.id == name for target in assigned)
    stores = (f"self.{name}", f"self.{name}[", f"self.{name}.")
    texts = [ast.unparse(target) for target in assigned]
    calls = [ast.unparse(node) for node in nodes if isinstance(node, ast.Call)]
    is_set = any(call.startswith(f"self.{name}.set_value(") for call in calls)
    is_stored = any(text == stores[0] or text.startswith(stores[1:]) for text in texts)
    return is_local and not is_set and not is_stored


def _targets(node: ast.AST) -> list[ast.expr]:
    """List the targets of an assignment, with the elements of a tuple."""
    if not isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
        return []
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    parts = (target.elts if isinstance(target, ast.Tuple | ast.List) else [target] for target in targets)
    return [*itertools.chain(*parts)]
