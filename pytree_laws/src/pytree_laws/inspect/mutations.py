"""Which attributes the methods of a class change in place, as their source says."""

import ast
import inspect
import textwrap
from collections.abc import Iterator

from .classes import is_of_library, is_of_python

_CONSTRUCTORS = "__init__", "__new__", "__post_init__", "__setstate__"
_METHODS = (
    *("add", "append", "appendleft", "clear", "discard", "extend", "insert", "pop"),
    *("popitem", "popleft", "remove", "reverse", "setdefault", "sort", "update"),
)
"""How lists, dicts, sets and deques are changed."""


def changed_in_place(cls: type) -> frozenset[str]:
    """The attributes of `self` that a method of a class changes in place, once an instance is made."""
    owners = [owner for owner in cls.__mro__ if not (is_of_python(owner) or is_of_library(owner))]
    return frozenset(name for owner in owners for name in _changed_by(owner))


def _changed_by(owner: type) -> Iterator[str]:
    try:
        [tree] = ast.parse(textwrap.dedent(inspect.getsource(owner))).body
    except (OSError, TypeError, ValueError, SyntaxError):  # a class that no file has
        return
    for member in getattr(tree, "body", ()):
        if isinstance(member, ast.FunctionDef) and member.name not in _CONSTRUCTORS:
            yield from filter(None, map(_changed_attribute, ast.walk(member)))


def _changed_attribute(node: ast.AST) -> str:
    """The attribute of `self` that an expression changes in place; empty where it changes none."""
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
