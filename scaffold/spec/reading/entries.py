"""Single entries of a spec, as TOML gives them, to what the model holds."""

import ast
from typing import Any

from scaffold.spec.grammar.types import LARGEST, Type, UnionType
from scaffold.spec.grammar.values import one_value
from scaffold.spec.source.expressions import parse
from scaffold.spec.tables.raw import as_list


def is_size(value: Any) -> bool:
    listed = as_list(value) if isinstance(value, list) else [value]
    return all(type(one) is int and 0 < one < LARGEST for one in listed)


def without_none(kind: Type) -> Type:
    if isinstance(kind, UnionType) and kind.optional and len(kind.members) == 1:
        return kind.members[0]
    return kind


def import_statement(text: str) -> ast.Import | ast.ImportFrom | None:
    """The one import statement that a line holds, or None."""
    try:
        tree = parse(text.strip(), expression=False)
    except SyntaxError:
        return None
    statements = tree.body if isinstance(tree, ast.Module) else []
    first = statements[0] if len(statements) == 1 else None
    return first if isinstance(first, ast.Import | ast.ImportFrom) else None


def of_one_name(statement: ast.Import | ast.ImportFrom, alias: ast.alias) -> ast.Import | ast.ImportFrom:
    if isinstance(statement, ast.Import):
        return ast.Import([alias])
    return ast.ImportFrom(statement.module, [alias], statement.level)


def text_or_none(value: Any) -> str | None:
    return value.strip() if isinstance(value, str) else None


def init_source(value: Any) -> str | None:
    """A name as it is; after `=`, an expression."""
    text = text_or_none(value)
    return f"={one_value(text[1:].strip())}" if text and text.startswith("=") else text


def expression_source(value: Any) -> str | None:
    return one_value(value.strip().removeprefix("=").strip()) if isinstance(value, str) else None


def frozen_as(value: Any) -> str:
    """What `frozen` says: `true`, the name of a bool, or nothing."""
    return "true" if value is True else value if isinstance(value, str) else ""
