"""The call and the methods of a spec: reading their tables."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from scaffold.comments import as_comment
from scaffold.spec.grammar.synonyms import TypeSyntaxError
from scaffold.spec.grammar.type_parser import LEGAL_TYPES
from scaffold.spec.grammar.type_texts import type_fix
from scaffold.spec.grammar.types import ClassType, Type
from scaffold.spec.model import Call, Method
from scaffold.spec.reading.entries import text_or_none
from scaffold.spec.reading.signature import parse_returns, split_top
from scaffold.spec.source.definitions import body_of, decorators_of
from scaffold.spec.source.expressions import dedented
from scaffold.spec.tables.check_keys import key_faults
from scaffold.spec.tables.keys import CALL_KEYS, CONSTRUCTOR_KEYS, METHOD_KEYS, Key
from scaffold.spec.tables.raw import as_table, as_text

if TYPE_CHECKING:
    from scaffold.spec.reading.read import Reader  # it reads with this module


CALL = "__call__"


def with_call_apart(raw: Mapping[str, Any]) -> tuple[Mapping[str, Any], int]:
    """The tables with the call in `[call]`, where it stands among the methods, and how many functions are above it."""
    methods, above = as_table(raw.get("methods")), len(as_table(raw.get("constructors")))
    if CALL not in methods or "call" in raw:
        return raw, above if "call" in raw else 0
    others = {name: table for name, table in methods.items() if name != CALL}
    return {**raw, "call": methods[CALL], "methods": others}, above + list(methods).index(CALL)


def read_call(reader: "Reader", raw: Mapping[str, Any]) -> Call | None:
    """The table `[call]`."""
    if not isinstance(raw.get("call"), Mapping):
        return None
    return _call(reader, as_table(raw["call"]), "call", CALL_KEYS)


def read_methods(reader: "Reader", raw: Mapping[str, Any]) -> tuple[Method, ...]:
    """The tables `[constructors.NAME]` and `[methods.NAME]`, in order."""
    own = ClassType(as_text(raw.get("name")))
    made = (
        _constructor(reader, name, table, own) for name, table in as_table(raw.get("constructors")).items()
    )
    return (*made, *(_method(reader, name, table) for name, table in as_table(raw.get("methods")).items()))


def _constructor(reader: "Reader", name: str, value: Any, own: ClassType) -> Method:
    """A class method that returns an instance."""
    place = f"constructors.{name}"
    call = _call(reader, _table(reader, value, place), place, CONSTRUCTOR_KEYS)
    return Method(name, replace(call, returns=(own,)), ("classmethod",), "constructors")


def _table(reader: "Reader", value: Any, place: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        fix = f"write `[{place}]`, and `body` below it"
        reader.add(reader.place(place), f"{value!r} is not a table", fix)
    return as_table(value)


def _method(reader: "Reader", name: str, value: Any) -> Method:
    place = f"methods.{name}"
    table = _table(reader, value, place)
    lines = as_text(table.get("decorator")).split("\n")
    decorators = tuple(filter(None, (line.strip().removeprefix("@") for line in lines)))
    call = _call(reader, table, place, METHOD_KEYS)
    return Method(name, call, decorators_of(call.source) if call.source else decorators)


def _call(reader: "Reader", table: Mapping[str, Any], place: str, keys: Mapping[str, Key]) -> Call:
    reader.faults += [fault.below(reader.where) for fault in key_faults(table, keys, place, reader.kind)]
    source = dedented(as_text(table.get("source")))
    body = dedented(as_text(table.get("body"))) or body_of(source)
    if isinstance(table.get("body"), str) and not body:
        reader.add(reader.place(place, "body"), "is empty", "write `return ...`")
    elif "body" not in table and not source:
        reader.add(reader.place(place), "`body` is missing", f"write `body = ...`: {keys['body'].doc}")
    parts = [part for part in split_top(as_text(table.get("args")), ",") if part]
    returns, several = _returns(reader, table, place)
    return Call(
        args=reader.arguments(parts, reader.place(place, "args")),
        body=body,
        returns=returns,
        returns_tuple=several,
        doc=as_text(table.get("doc")),
        carry=text_or_none(table.get("carry")),
        axis_name=text_or_none(table.get("axis_name")),
        comment=as_comment(as_text(table.get("comment"))),
        source=source,
        above=as_text(table.get("above")),
    )


def _returns(reader: "Reader", table: Mapping[str, Any], place: str) -> tuple[tuple[Type, ...], bool]:
    text = table.get("returns")
    if not isinstance(text, str):
        return (), False
    try:
        return parse_returns(text)
    except TypeSyntaxError as error:
        reader.add(reader.place(place, "returns"), str(error), error.fix or type_fix(text), LEGAL_TYPES)
        # Whatever is carried, it is not the fault of `carry`.
        reader.unread.append(f"{text} {as_text(table.get('carry'))}")
        return (), False
