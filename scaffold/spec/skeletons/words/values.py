"""Python in a skeleton to the values of TOML: literals as they are, and `=` before any other expression."""

import ast
from collections.abc import Iterator
from typing import Any

from scaffold.spec.grammar.values import literal_or_none
from scaffold.spec.skeletons.words.notes import Notes
from scaffold.spec.tables.check_keys import is_value
from scaffold.spec.tables.raw import as_toml


def raw_value(node: ast.expr, notes: Notes) -> Any:
    """The value as TOML has it; what is no literal, or reads as none, is text that begins with `=`."""
    value = as_toml(literal_or_none(node))
    if isinstance(value, str) and value.startswith("="):
        return f"={value!r}"
    return value if is_value(value, tables=True) else f"={expression(node, notes)}"


def expression(node: ast.expr, notes: Notes) -> str:
    """The source of an expression; of a lambda, that of its body."""
    return notes.segment(node.body if isinstance(node, ast.Lambda) else node)


def table(node: ast.expr, notes: Notes) -> Any:
    """The table that a dict displays, or those in a list, each entry by itself; of another expression, its value."""
    if isinstance(node, ast.List | ast.Tuple) and all(isinstance(element, ast.Dict) for element in node.elts):
        return [table(element, notes) for element in node.elts]
    pairs = [*entries(node)]
    if not isinstance(node, ast.Dict) or len(pairs) < len(node.keys):
        return raw_value(node, notes)
    return {name: table(value, notes) for name, value in pairs}


def entries(node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """The entries of a dict whose keys are texts."""
    for key, value in zip(node.keys, node.values, strict=True) if isinstance(node, ast.Dict) else ():
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield key.value, value
