"""The types of arguments of a constructor that have no annotation, as far as the constructor and the fields tell them."""

import ast
from collections.abc import Iterator, Mapping
from typing import Any

_SIZED = ("range", "zeros", "ones", "empty", "full", "eye", "identity", "arange", "tri", "split")
"""Functions whose arguments are sizes."""
_LAYERS = ("nn", "nnx")
"""The rooms of layers, which take sizes."""


def inferred_types(node: ast.FunctionDef, fields: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """The types in the grammar by argument: that of the field of its name, or that of a size."""
    bare = [argument.arg for argument in _arguments(node) if argument.annotation is None]
    sizes = {name for statement in node.body for name in _sizes(statement)}
    types = {name: str(fields.get(name, {}).get("type") or "") for name in bare}
    return {name: kind or "int" for name, kind in types.items() if kind or name in sizes}


def _arguments(node: ast.FunctionDef) -> list[ast.arg]:
    return [*node.args.posonlyargs, *node.args.args[1:], *node.args.kwonlyargs]


def _sizes(tree: ast.AST) -> Iterator[str]:
    """The names that stand in a shape, or where a function or a layer takes a size."""
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        path = ast.unparse(call.func).split(".")
        takes_sizes = path[-1] in _SIZED or not set(_LAYERS).isdisjoint(path[:-1])
        for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
            if takes_sizes or isinstance(argument, ast.Tuple | ast.List):
                yield from _names(argument)


def _names(expression: ast.expr) -> Iterator[str]:
    """The names in an expression of sizes, as `(2 * width, depth)`."""
    match expression:
        case ast.Name(id=name):
            yield name
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                yield from _names(part)
        case ast.BinOp(left=left, right=right):
            yield from _names(left)
            yield from _names(right)
        case _:
            pass
