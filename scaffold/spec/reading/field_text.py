"""Fields and arguments as text.

An argument list is `x: f[in_size], *, key: key[] | None = None`. A field is
`f[out_size,in_size]?use_bias@frozen=lecun_normal`, or in general

    TYPE[?FLAG][@ROLE][=INIT]

`?FLAG` is `optional`, `@ROLE` is `role`, and `@frozen` is `frozen`. `=INIT` is `init` for an array, a tree, a
class or an expression (`==expression`). For a shared array it is `of`, and for a Python value `default`.
"""

import ast
import re
from collections.abc import Iterator
from math import inf, nan
from typing import Any

from scaffold.source.expressions import syntax_fault
from scaffold.spec.grammar import types
from scaffold.spec.grammar.type_parser import TypeSyntaxError, parse_type
from scaffold.spec.model import Argument
from scaffold.spec.raw import as_toml
from scaffold.spec.tables.check_keys import is_value

_OPEN, _CLOSE = "([{", ")]}"


class SignatureSyntaxError(ValueError):
    """An argument list outside the grammar."""


def split_top(text: str, separator: str) -> list[str]:
    """Split `text` at each `separator` outside brackets and quotes, but at no comparison such as `==`."""
    parts: list[str] = []
    begin = 0
    for position in _top_level(text):
        if text[position] == separator and not _is_comparison(text, position, separator):
            parts.append(text[begin:position])
            begin = position + 1
    return [part.strip() for part in (*parts, text[begin:])]


def _is_comparison(text: str, position: int, separator: str) -> bool:
    before, behind = text[max(position - 1, 0)], text[position + 1 : position + 2]
    return separator == "=" and (behind == "=" or before in "=!<>")


def _top_level(text: str) -> Iterator[int]:
    depth, quote = 0, ""
    for position, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter in _OPEN:
            depth += 1
        elif letter in _CLOSE:
            depth -= 1
        elif depth == 0:
            yield position


def parse_argument(text: str) -> Argument:
    """Parse one argument. Raises `SignatureSyntaxError`, or `TypeSyntaxError` for its type."""
    declared, *default = split_top(text, "=")
    name, _, annotation = (part.strip() for part in declared.partition(":"))
    if not name:
        raise SignatureSyntaxError(f"`{text}` has no name: write `name: TYPE`")
    if default and (len(default) > 1 or not default[0] or syntax_fault(default[0], expression=True)):
        raise SignatureSyntaxError(f"the default of `{text}` is not an expression")
    if name == "*" and (annotation or default):
        raise SignatureSyntaxError("`*` stands alone: it marks what follows as keyword-only")
    return Argument(name, parse_type(annotation) if annotation else None, default[0] if default else None)


def parse_returns(text: str) -> tuple[tuple[types.Type, ...], bool]:
    """Parse the types of a result, and return whether there are several. Raises `TypeSyntaxError`."""
    inner = text.strip()
    if inner.startswith("(") and inner.endswith(")"):
        inner = inner[1:-1]
    parts = [part for part in split_top(inner, ",") if part]
    if not parts:
        raise TypeSyntaxError("a result has a type", 'write `returns = "f[size]"`')
    return tuple(parse_type(part) for part in parts), len(parts) > 1


_STATIC = types.ScalarType | types.TupleType | types.SetType | types.LiteralType
_OF_EXPRESSIONS = (types.ScalarType("dtype"), types.ScalarType("slice"))
_SUFFIX = r"\s*([?@])\s*([A-Za-z_]\w*)\s*$"
_SUFFIX_KEY = {"?": "optional", "@": "role"}


def parse_field_text(text: str) -> dict[str, Any]:
    """Parse `TYPE[?FLAG][@ROLE][=INIT]` into the table of a field, without a check of its parts."""
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
        kind = types.without_none(parse_type(table["type"]))
    except TypeSyntaxError:
        return "init", text
    is_plain = all(isinstance(member, _STATIC) for member in types.members_of(kind))
    is_static = is_plain or table.get("role") == "static"
    if text.startswith("=") or not (is_static or isinstance(kind, types.CallableType)):
        return "init", text
    if isinstance(kind, types.CallableType | types.ClassType | types.SetType) or kind in _OF_EXPRESSIONS:
        return "default", f"={text}"
    return "default", _literal(text)


def _literal(text: str) -> Any:
    """Evaluate a literal in the notation of Python or TOML. Text that is no literal stays text.

    A value that TOML cannot hold becomes an expression.
    """
    try:
        value = ast.literal_eval(text)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return {"true": True, "false": False, "nan": nan, "inf": inf, "-inf": -inf}.get(text, text)
    value = as_toml(value)
    return value if is_value(value) else f"={text}"
