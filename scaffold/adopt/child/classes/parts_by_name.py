"""Methods that look up a part of the instance by name, such as `get(path: str)`, and compute nothing."""

import ast
import inspect
import textwrap
from typing import Any

_OF_LOOKUPS = (
    *("getattr", "hasattr", "get", "items", "keys", "values", "split", "partition", "join", "reduce", "len"),
    *("isinstance", "list", "tuple", "dict", "sorted", "int", "isdigit", "repr", "str", "format"),
)
"""Functions that a lookup may call, beside constructors of errors, which are capitalised."""


def gives_part_by_name(method: Any) -> bool:
    """Whether a method takes a single string, and only looks up a part of the instance."""
    try:
        node = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(method)))).body[0]
    except (OSError, SyntaxError, TypeError, IndexError):
        return False
    if not isinstance(node, ast.FunctionDef) or len(node.args.args) != 2:
        return False
    taken = node.args.args[1]
    says_text = taken.annotation is not None and ast.unparse(taken.annotation).strip("'\"") == "str"
    return says_text and all(
        map(_looks_up, (part for statement in node.body for part in ast.walk(statement)))
    )


def _looks_up(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Add | ast.Mod | ast.BitOr)
    if not isinstance(node, ast.Call):
        return True
    name = ast.unparse(node.func).rpartition(".")[2]
    return name in _OF_LOOKUPS or name[:1].isupper()
