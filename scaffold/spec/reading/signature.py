"""Argument lists: `x: f[in_size], *, key: key[] | None = None`."""

from collections.abc import Iterator

from scaffold.spec.grammar.type_parser import TypeSyntaxError, parse_type
from scaffold.spec.grammar.types import Type
from scaffold.spec.model import Argument
from scaffold.spec.source.expressions import syntax_fault

_OPEN, _CLOSE = "([{", ")]}"


class SignatureSyntaxError(ValueError):
    """An argument list that is not of the grammar."""


def split_top(text: str, separator: str) -> list[str]:
    """`text` split at each `separator` that stands outside brackets and quotes."""
    parts: list[str] = []
    begin = 0
    for position in _top_level(text):
        if text[position] == separator and not _is_comparison(text, position, separator):
            parts.append(text[begin:position])
            begin = position + 1
    return [part.strip() for part in (*parts, text[begin:])]


def _is_comparison(text: str, position: int, separator: str) -> bool:
    return separator == "=" and (
        text[position + 1 : position + 2] == "=" or text[max(position - 1, 0)] in "=!<>"
    )


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
    """One argument. Raises `SignatureSyntaxError`, or `TypeSyntaxError` from its type."""
    declared, *default = split_top(text, "=")
    name, _, annotation = (part.strip() for part in declared.partition(":"))
    if not name:
        raise SignatureSyntaxError(f"`{text}` has no name: write `name: TYPE`")
    if default and (len(default) > 1 or not default[0] or syntax_fault(default[0], expression=True)):
        raise SignatureSyntaxError(f"the default of `{text}` is not an expression")
    if name == "*" and (annotation or default):
        raise SignatureSyntaxError("`*` stands alone: it marks what follows as keyword-only")
    return Argument(name, parse_type(annotation) if annotation else None, default[0] if default else None)


def parse_returns(text: str) -> tuple[tuple[Type, ...], bool]:
    """The types of a result, and whether there are several, as a tuple. Raises `TypeSyntaxError`."""
    inner = text.strip()
    if inner.startswith("(") and inner.endswith(")"):
        inner = inner[1:-1]
    parts = [part for part in split_top(inner, ",") if part]
    if not parts:
        raise TypeSyntaxError("a result has a type", 'write `returns = "f[size]"`')
    return tuple(parse_type(part) for part in parts), len(parts) > 1
