"""Sizes that a constructor takes as starred arguments: `def __init__(self, *sizes: int, key)`."""

import ast

from scaffold.source.definitions import function_of
from scaffold.source.expressions import Function, nodes_of
from scaffold.spec.model import ModuleSpec

SIZES = (2, 3, 2, 5, 3, 2)
USUAL = 3
"""The number of sizes, unless the code determines it."""


def starred_sizes(spec: ModuleSpec) -> str:
    """Return the name of the starred sizes that an author's constructor takes first, or an empty text."""
    own = spec.own_constructor
    function = function_of(own.call.source) if own is not None else None
    starred = function.args.vararg if function is not None else None
    if function is None or starred is None or starred.annotation is None:
        return ""
    is_first = len(function.args.args) == 1 and not function.args.posonlyargs
    return starred.arg if is_first and ast.unparse(starred.annotation) == "int" else ""


def example_sizes(spec: ModuleSpec, name: str) -> str:
    """Return as many sizes as the constructor unpacks: `out_size, in_size = sizes`."""
    own = spec.own_constructor
    function = function_of(own.call.source) if own is not None else None
    return repr(SIZES[: USUAL if function is None else _count(function, name)])


def _count(function: Function, name: str) -> int:
    for assignment in nodes_of(ast.Assign, function):
        target, value = assignment.targets[0], assignment.value
        is_read = isinstance(value, ast.Name | ast.BoolOp) and name in {
            n.id for n in nodes_of(ast.Name, value)
        }
        if is_read and isinstance(target, ast.Tuple) and not [*nodes_of(ast.Starred, target)]:
            return min(len(target.elts), len(SIZES))
    return USUAL
