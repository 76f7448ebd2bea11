"""Sizes that a constructor takes one after the other: `def __init__(self, *sizes: int, key)`."""

import ast

from scaffold.source.definitions import function_of
from scaffold.source.expressions import Function, nodes_of
from scaffold.spec.model import ModuleSpec

SIZES = (2, 3, 2, 5, 3, 2)
USUAL = 3
"""How many sizes there are where the code says no number."""


def starred_sizes(spec: ModuleSpec) -> str:
    """The name of the sizes of which a constructor of the author's own takes any number; empty where it takes others first."""
    own = spec.own_constructor
    function = function_of(own.call.source) if own is not None else None
    starred = function.args.vararg if function is not None else None
    if function is None or starred is None or starred.annotation is None:
        return ""
    is_first = len(function.args.args) == 1 and not function.args.posonlyargs
    return starred.arg if is_first and ast.unparse(starred.annotation) == "int" else ""


def example_sizes(spec: ModuleSpec, name: str) -> str:
    """As many sizes as the constructor takes apart: `out_size, in_size = sizes`."""
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
