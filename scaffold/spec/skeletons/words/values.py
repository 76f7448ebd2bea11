"""Python in a skeleton to the values of TOML: literals as they are, and `=` before any other expression."""

import ast
from typing import Any

from scaffold.spec.skeletons.words.notes import Notes


class NoLiteralError(ValueError):
    """An expression that TOML has no value for."""


def raw_value(node: ast.expr, notes: Notes) -> Any:
    """The value as TOML has it; what is no literal is text that begins with `=`."""
    try:
        return _literal(node)
    except NoLiteralError:
        return f"={expression(node, notes)}"


def _literal(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=str(text)):
            return f"={text!r}" if text.startswith("=") else text
        case ast.Constant(value=bool() | int() | float() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)) if (
            type(value) is not bool
        ):
            return -value
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_literal(item) for item in items]
        case ast.Dict(keys=keys, values=values) if all(map(_is_text, keys)):
            return {_text(key): _literal(value) for key, value in zip(keys, values, strict=True)}
        case _:
            raise NoLiteralError


def _is_text(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _text(node: ast.expr | None) -> str:
    return str(node.value) if isinstance(node, ast.Constant) else ""


def expression(node: ast.expr, notes: Notes) -> str:
    """The source of an expression; of a lambda, that of its body."""
    return notes.segment(node.body if isinstance(node, ast.Lambda) else node)


def table(node: ast.expr, notes: Notes) -> Any:
    """The table that a dict displays, or those in a list, each entry by itself; of another expression, its value."""
    if isinstance(node, ast.List | ast.Tuple) and all(isinstance(element, ast.Dict) for element in node.elts):
        return [table(element, notes) for element in node.elts]
    if not isinstance(node, ast.Dict) or not all(map(_is_text, node.keys)):
        return raw_value(node, notes)
    return {_text(key): table(value, notes) for key, value in zip(node.keys, node.values, strict=True)}
