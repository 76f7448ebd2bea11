"""Command-line tokens: `weight:f[out_size,in_size]=lecun_normal` to the tables of a spec file.

    NAME:TYPE[?FLAG][@ROLE][=INIT]

`?FLAG` is `optional`, `@ROLE` is `role`. What follows `=` is `init` for an array, a tree, a class or an expression
(`==expression`), and `default` for a Python value.
"""

import ast
import re
from collections.abc import Mapping
from typing import Any, cast

from scaffold.errors import Fault, ScaffoldError
from scaffold.spec.signature import split_top
from scaffold.spec.types import CallableType, LiteralType, ScalarType, TupleType, TypeSyntaxError, parse_type

_SUFFIX = re.compile(r"\s*([?@])\s*([A-Za-z_]\w*)\s*$")
_SUFFIX_KEY = {"?": "optional", "@": "role"}
_HELP = "write NAME:TYPE[?FLAG][@ROLE][=INIT], such as 'weight:f[out_size,in_size]=lecun_normal'"


def parse_field_token(token: str) -> tuple[str, dict[str, Any]]:
    """The name and the table of one field. Raises `ScaffoldError`."""
    name, colon, rest = token.partition(":")
    if not colon or not name.strip():
        raise ScaffoldError("a field is a name and a type", where=f"field `{token}`", fix=_HELP)
    return name.strip(), parse_field_text(rest)


def parse_field_text(text: str) -> dict[str, Any]:
    """The table of a field from `TYPE[?FLAG][@ROLE][=INIT]`; what is wrong in it shows when the spec is read."""
    head, *value = split_top(text, "=") if "==" not in text else _split_expression(text)
    table: dict[str, Any] = {}
    while match := _SUFFIX.search(head):
        table[_SUFFIX_KEY[match[1]]] = match[2]
        head = head[: match.start()]
    table = {"type": head.strip(), **table}
    if value:
        key, parsed = _value(table, "=".join(value))
        table[key] = parsed
    return table


def _split_expression(text: str) -> list[str]:
    head, _, expression = text.partition("==")
    return [head, f"={expression.strip()}"] if "=" not in head else split_top(text, "=")


def _value(table: dict[str, Any], text: str) -> tuple[str, Any]:
    try:
        kind = parse_type(table["type"])
    except TypeSyntaxError:
        return "init", text
    if text.startswith("=") or not isinstance(kind, ScalarType | TupleType | CallableType | LiteralType):
        return "init", text
    if isinstance(kind, CallableType):
        return "default", f"={text}"
    return "default", _literal(text)


def _literal(text: str) -> Any:
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return {"true": True, "false": False}.get(text, text)
    return list(cast("tuple[Any, ...]", value)) if isinstance(value, tuple) else value


def fields_from_tokens(tokens: tuple[str, ...]) -> dict[str, Any]:
    """The `[fields]` table. Raises one `ScaffoldError` for all tokens that are wrong."""
    fields: dict[str, Any] = {}
    faults: list[Fault] = []
    for token in tokens:
        try:
            name, table = parse_field_token(token)
        except ScaffoldError as error:
            faults += error.faults
            continue
        if name in fields:
            faults.append(
                Fault(f"field `{token}`", f"`{name}` is there already", "give each field its own name")
            )
        fields[name] = table
    if faults:
        raise ScaffoldError.of(faults)
    return fields


def call_from_text(call: str | None, body: str | None) -> dict[str, Any]:
    """The `[call]` table from `--call 'x:f[in_size] -> f[out_size]'` and `--body`."""
    table: dict[str, Any] = {}
    if call is not None:
        args, arrow, returns = call.partition("->")
        table["args"] = args.strip()
        if arrow:
            table["returns"] = returns.strip()
    if body is not None:
        table["body"] = body
    return table


def raw_spec(
    name: str, fields: tuple[str, ...], sizes: tuple[str, ...], options: Mapping[str, str | None]
) -> dict[str, Any]:
    """The tables of a spec from the command line. Raises one `ScaffoldError` for all tokens that are wrong."""
    call = {"args": None, "body": None, **call_from_text(options.get("call"), options.get("body"))}
    given = {
        key: value for key, value in (*call.items(), ("carry", options.get("carry"))) if value is not None
    }
    plain = {
        key: options[key] for key in ("kind", "doc", "constructor", "rebuild") if options.get(key) is not None
    }
    raw: dict[str, Any] = {"name": name, **plain, "fields": fields_from_tokens(fields)}
    if given:
        raw["call"] = given
    if sizes:
        raw["test"] = {"sizes": dict(_size(text) for text in sizes)}
    return raw


def _size(text: str) -> tuple[str, int]:
    name, equals, value = text.partition("=")
    if not (equals and name.strip() and value.strip().isdigit()):
        raise ScaffoldError(f"`{text}` is not a size", where="--size", fix="write `--size in_size=3`")
    return name.strip(), int(value)
