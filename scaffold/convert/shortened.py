"""Tables of a spec in the short notation for TOML."""

from collections.abc import Mapping
from typing import Any

from scaffold.spec.grammar.type_parser import parse_type
from scaffold.spec.grammar.type_texts import type_text
from scaffold.spec.grammar.types import without_none
from scaffold.spec.model import Argument
from scaffold.spec.raw import as_list, as_table
from scaffold.spec.reading.field_text import parse_argument, parse_field_text, parse_returns, split_top
from scaffold.spec.reading.roles import role_of


def shortened(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Shorten the types, and drop default values. The tables must have no faults."""
    short = {key: value for key, value in raw.items() if (key, value) != ("kind", "module")}
    short["fields"] = {name: _field(table) for name, table in as_table(raw.get("fields")).items()}
    if "arguments" in raw:
        short["arguments"] = [_argument(parse_argument(text)) for text in as_list(raw["arguments"])]
    if "call" in raw:
        short["call"] = _call(as_table(raw["call"]))
    for functions in ("constructors", "methods"):
        if functions in raw:
            members = as_table(raw[functions]).items()
            short[functions] = {name: _call(as_table(table)) for name, table in members}
    return short


def _field(table: Any) -> dict[str, Any]:
    table_of_field = parse_field_text(table) if isinstance(table, str) else dict(as_table(table))
    kind = parse_type(table_of_field["type"])
    without_role = {key: value for key, value in table_of_field.items() if key != "role"}
    if table_of_field.get("role") == role_of(without_none(kind), without_role):
        table_of_field = without_role
    return {**table_of_field, "type": type_text(kind)}


def _argument(argument: Argument) -> str:
    text = argument.name if argument.type is None else f"{argument.name}: {type_text(argument.type)}"
    return text if argument.default is None else f"{text} = {argument.default}"


def _call(table: Mapping[str, Any]) -> dict[str, Any]:
    table_of_call = dict(table)
    if "args" in table_of_call:
        parts = [part for part in split_top(table_of_call["args"], ",") if part]
        table_of_call["args"] = ", ".join(_argument(parse_argument(part)) for part in parts)
    if "returns" in table_of_call:
        table_of_call["returns"] = ", ".join(map(type_text, parse_returns(table_of_call["returns"])[0]))
    return table_of_call
