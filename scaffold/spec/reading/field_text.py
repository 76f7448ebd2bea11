"""A field in a line, `f[out_size,in_size]?use_bias@frozen=lecun_normal`, to its table:

    TYPE[?FLAG][@ROLE][=INIT]

`?FLAG` is `optional`, `@ROLE` is `role`, and `@frozen` is `frozen`. What follows `=` is `init` for an array, a tree, a class or an expression
(`==expression`), `of` for a shared array, and `default` for a Python value.
"""

import ast
import re
from math import inf, nan
from typing import Any

from scaffold.spec.grammar.type_parser import TypeSyntaxError, parse_type
from scaffold.spec.grammar.types import (
    CallableType,
    ClassType,
    LiteralType,
    ScalarType,
    SetType,
    TupleType,
    Type,
    UnionType,
    without_none,
)
from scaffold.spec.reading.signature import split_top
from scaffold.spec.tables.check_keys import is_value
from scaffold.spec.tables.raw import as_toml

_STATIC = ScalarType | TupleType | SetType | LiteralType
_OF_EXPRESSIONS = (ScalarType("dtype"), ScalarType("slice"))
_SUFFIX = r"\s*([?@])\s*([A-Za-z_]\w*)\s*$"
_SUFFIX_KEY = {"?": "optional", "@": "role"}


def parse_field_text(text: str) -> dict[str, Any]:
    """The table of a field from `TYPE[?FLAG][@ROLE][=INIT]`; what is wrong in it shows when the spec is read."""
    head, *value = split_top(text, "=") if "==" not in text else _split_expression(text)
    table: dict[str, Any] = {}
    while (match := re.search(_SUFFIX, head)) and _key_of(match) not in table:
        key = _key_of(match)
        table[key] = True if key == "frozen" else match[2]
        head = head[: match.start()]
    table = {"type": head.strip(), **table}
    if value:
        key, parsed = _value(table, "=".join(value))
        table[key] = parsed
    return table


def _key_of(suffix: re.Match[str]) -> str:
    return "frozen" if suffix[1] == "@" and suffix[2] == "frozen" else _SUFFIX_KEY[suffix[1]]


def _split_expression(text: str) -> list[str]:
    head, _, expression = text.partition("==")
    return [head, f"={expression.strip()}"] if "=" not in head else split_top(text, "=")


def _value(table: dict[str, Any], text: str) -> tuple[str, Any]:
    if table.get("role") == "shared":
        return "of", text.removeprefix("=").strip()
    try:
        kind = without_none(parse_type(table["type"]))
    except TypeSyntaxError:
        return "init", text
    is_static = _is_static(kind) or table.get("role") == "static"
    if text.startswith("=") or not (is_static or isinstance(kind, CallableType)):
        return "init", text
    if isinstance(kind, CallableType | ClassType | SetType) or kind in _OF_EXPRESSIONS:
        return "default", f"={text}"
    return "default", _literal(text)


def _is_static(kind: Type) -> bool:
    return all(map(_is_static, kind.members)) if isinstance(kind, UnionType) else isinstance(kind, _STATIC)


def _literal(text: str) -> Any:
    """The TOML value that `text` writes; what TOML cannot hold becomes an expression."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return {"true": True, "false": False, "nan": nan, "inf": inf, "-inf": -inf}.get(text, text)
    value = as_toml(value)
    return value if is_value(value) else f"={text}"
