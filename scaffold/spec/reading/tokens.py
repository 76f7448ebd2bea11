"""Command-line tokens: `weight:f[out_size,in_size]=lecun_normal` to the tables of a spec file.

    NAME:TYPE[?FLAG][@ROLE][=INIT]

`?FLAG` is `optional`, `@ROLE` is `role`, and `@frozen` is `frozen`. What follows `=` is `init` for an array, a tree, a class or an expression
(`==expression`), `of` for a shared array, and `default` for a Python value.
"""

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from math import inf, nan
from typing import Any, cast

from scaffold.errors import Fault, ScaffoldError
from scaffold.spec.grammar.type_parser import TypeSyntaxError, parse_type
from scaffold.spec.grammar.types import CallableType, ClassType, LiteralType, ScalarType, SetType, TupleType
from scaffold.spec.reading.command_line import COMMAND_LINE, argument_fault
from scaffold.spec.reading.signature import split_top
from scaffold.spec.tables.check_keys import is_value
from scaffold.spec.tables.pairs import preset_faults, read_all, with_presets

_STATIC = ScalarType | TupleType | SetType | LiteralType
DTYPE, SLICE = ScalarType("dtype"), ScalarType("slice")

_SUFFIX = r"\s*([?@])\s*([A-Za-z_]\w*)\s*$"
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
        kind = parse_type(table["type"])
    except TypeSyntaxError:
        return "init", text
    is_static = isinstance(kind, _STATIC) or table.get("role") == "static"
    if text.startswith("=") or not (is_static or isinstance(kind, CallableType)):
        return "init", text
    if isinstance(kind, CallableType | ClassType | SetType) or kind in (DTYPE, SLICE):
        return "default", f"={text}"
    return "default", _literal(text)


def _literal(text: str) -> Any:
    """The TOML value that `text` writes; what TOML cannot hold becomes an expression."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return {"true": True, "false": False, "nan": nan, "inf": inf, "-inf": -inf}.get(text, text)
    value = _lists(value)
    return value if is_value(value) else f"={text}"


def _lists(value: Any) -> Any:
    """The value with every tuple a list, as TOML has it."""
    return [_lists(item) for item in cast("list[Any]", value)] if isinstance(value, tuple | list) else value


def fields_from_tokens(tokens: Iterable[str]) -> tuple[dict[str, Any], list[Fault]]:
    """The `[fields]` table, and what is wrong with the tokens that are not in it."""
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
    return fields, faults


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
    name: str,
    fields: Sequence[str],
    options: Mapping[str, str | None],
    pairs: Mapping[str, Sequence[str]],
    lower_for: Sequence[str] = (),
) -> dict[str, Any]:
    """The tables of a spec from the command line. Raises one `ScaffoldError` where a token is wrong, for all faults.

    `pairs` are those of `--size`, `--option`, `--group` and `--preset`, by that name.
    """
    plain: dict[str, Any] = {
        key: options[key]
        for key in ("kind", "template", "doc", "constructor", "rebuild", "layout")
        if options.get(key) is not None
    }
    tables, faults = fields_from_tokens(fields)
    plain |= {"save": True} if options.get("save") else {}
    read, wrong = read_all(pairs)
    presets = read.get("preset", {})
    faults += [*wrong, *([] if faults else preset_faults(tables, presets))]
    if not fields and options.get("call") is None:
        faults.append(Fault("FIELDS", "there is no field", _HELP))
    raw: dict[str, Any] = {"name": name, **plain, "fields": with_presets(tables, presets)}
    unused = [name.strip() for name in (options.get("unused") or "").split(",") if name.strip()]
    test = {"sizes": read.get("size"), "unused": unused, "backend": options.get("backend")}
    test |= {"lower_for": [*lower_for]}
    found = {
        "options": read.get("option"),
        "groups": read.get("group"),
        "call": _call(options),
        "test": {key: value for key, value in test.items() if value not in (None, {}, [])},
    }
    raw |= {key: table for key, table in found.items() if table}
    if faults:
        unread = "\n".join((*fields, *(text for texts in pairs.values() for text in texts)))
        raise ScaffoldError.of({*faults, *map(argument_fault, _other_faults(raw, unread))})
    return raw


def _call(options: Mapping[str, str | None]) -> dict[str, Any]:
    ordered: dict[str, Any] = {"args": None, "returns": None, "body": None}
    ordered |= {**call_from_text(options.get("call"), options.get("body")), "carry": options.get("carry")}
    return {key: value for key, value in ordered.items() if value is not None}


def _other_faults(raw: Mapping[str, Any], unread: str) -> tuple[Fault, ...]:
    """What is wrong with the rest of the spec; the names in `unread` are not held to be unknown."""
    from scaffold.spec.reading.read import (
        read_spec,  # here, because it reads the short form of a field with this module
    )

    try:
        read_spec(raw if raw["fields"] else {**raw, "fields": {"x": "f[]"}}, COMMAND_LINE, unread=unread)
    except ScaffoldError as error:
        return error.faults
    return ()
