"""The tables of a spec in the short notation, as a program or a person writes them in TOML."""

from collections.abc import Mapping
from typing import Any

from scaffold.spec.grammar.type_parser import parse_type
from scaffold.spec.grammar.type_texts import type_text
from scaffold.spec.grammar.types import without_none
from scaffold.spec.model import Argument
from scaffold.spec.reading.field_text import parse_field_text
from scaffold.spec.reading.roles import role_of
from scaffold.spec.reading.signature import parse_argument, parse_returns, split_top
from scaffold.spec.tables.raw import as_list, as_table


def shortened(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The same tables, with short types, and without what is so by default; they must have no faults."""
    short = {key: value for key, value in raw.items() if (key, value) != ("kind", "module")}
    short["fields"] = {name: _field(table) for name, table in as_table(raw.get("fields")).items()}
    if "arguments" in raw:
        short["arguments"] = [_argument(parse_argument(text)) for text in as_list(raw["arguments"])]
    if "call" in raw:
        short["call"] = _call(as_table(raw["call"]))
    for functions in ("constructors", "methods"):
        if functions in raw:
            found = as_table(raw[functions]).items()
            short[functions] = {name: _call(as_table(table)) for name, table in found}
    return short


def _field(table: Any) -> dict[str, Any]:
    found = parse_field_text(table) if isinstance(table, str) else dict(as_table(table))
    kind = parse_type(found["type"])
    without_role = {key: value for key, value in found.items() if key != "role"}
    if found.get("role") == role_of(without_none(kind), without_role):
        found = without_role
    return {**found, "type": type_text(kind)}


def _argument(one: Argument) -> str:
    text = one.name if one.type is None else f"{one.name}: {type_text(one.type)}"
    return text if one.default is None else f"{text} = {one.default}"


def _call(table: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(table)
    if "args" in found:
        parts = [part for part in split_top(found["args"], ",") if part]
        found["args"] = ", ".join(_argument(parse_argument(part)) for part in parts)
    if "returns" in found:
        found["returns"] = ", ".join(map(type_text, parse_returns(found["returns"])[0]))
    return found
