"""The call and the methods of a spec: the tables `[call]`, `[constructors.NAME]` and `[methods.NAME]`."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from scaffold.comments import as_comment
from scaffold.source.definitions import body_of, decorators_of
from scaffold.source.expressions import dedented
from scaffold.spec.grammar.type_parser import TypeSyntaxError
from scaffold.spec.grammar.types import ClassType, Type
from scaffold.spec.model import Call, Method
from scaffold.spec.raw import as_table
from scaffold.spec.reading.field_text import parse_returns, split_top
from scaffold.spec.reading.reader import Reader
from scaffold.spec.tables.key import Key
from scaffold.spec.tables.keys import CALL_KEYS, CONSTRUCTOR_KEYS, METHOD_KEYS

CALL = "__call__"


def with_call_apart(raw: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
    """Move `methods.__call__` to `call`, and return the number of functions above the call."""
    methods, above = as_table(raw.get("methods")), len(as_table(raw.get("constructors")))
    if CALL not in methods or "call" in raw or as_table(methods[CALL]).get("inherited"):
        return {**raw}, above if "call" in raw else 0
    others = {name: table for name, table in methods.items() if name != CALL}
    return {**raw, "call": methods[CALL], "methods": others}, above + list(methods).index(CALL)


def read_call(reader: Reader, raw: Mapping[str, Any]) -> Call | None:
    """Read the table `[call]`, if there is one."""
    return _call(reader, raw["call"], "call", CALL_KEYS)[0] if "call" in raw else None


def read_methods(reader: Reader, raw: Mapping[str, Any]) -> tuple[Method, ...]:
    """Read the tables `[constructors.NAME]` and `[methods.NAME]`, in order."""
    class_type = ClassType(raw.get("name", ""))
    made = (_constructor(reader, *pair, class_type) for pair in as_table(raw.get("constructors")).items())
    return (*made, *(_method(reader, *pair) for pair in as_table(raw.get("methods")).items()))


def _constructor(reader: Reader, name: str, raw: Any, class_type: ClassType) -> Method:
    """Read a class method that returns an instance."""
    call, _ = _call(reader, raw, f"constructors.{name}", CONSTRUCTOR_KEYS)
    return Method(name, replace(call, returns=(class_type,)), ("classmethod",), "constructors")


def _method(reader: Reader, name: str, raw: Any) -> Method:
    call, table = _call(reader, raw, f"methods.{name}", METHOD_KEYS)
    if call.source:
        return Method(name, call, decorators_of(call.source), inherited=table.get("inherited", False))
    lines = (line.strip().removeprefix("@") for line in table.get("decorator", "").split("\n"))
    decorators = [reader.expression(line, f"methods.{name}.decorator") for line in lines if line]
    return Method(name, call, tuple(decorator for decorator in decorators if decorator is not None))


def _call(reader: Reader, raw: Any, place: str, keys: Mapping[str, Key]) -> tuple[Call, Mapping[str, Any]]:
    if not isinstance(raw, Mapping):
        reader.add(place, f"{raw!r} is not a table", f"write `[{place}]`, and `body` below it")
    table = reader.table(raw, keys, place, reader.kind)
    parts = [part for part in split_top(table.get("args", ""), ",") if part]
    args = reader.arguments(parts, f"{place}.args")
    returns, several = _returns(reader, table, place)
    parameters = tuple(dict.fromkeys(argument.name for argument in args if argument.name.isidentifier()))
    source, body = dedented(table.get("source", "")), dedented(table.get("body", ""))
    if "body" in table and not body:
        reader.add(f"{place}.body", "is empty", "write `return ...`")
    elif "body" not in as_table(raw) and not source:
        reader.add(place, "`body` is missing", f"write `body = ...`: {keys['body'].doc}")
    source = reader.statements(source, f"{place}.body", parameters)
    body = "" if source else reader.statements(body, f"{place}.body", parameters)
    call = Call(
        args=args,
        body=body or body_of(source),
        returns=returns,
        returns_tuple=several,
        doc=table.get("doc", ""),
        carry=table["carry"].strip() if "carry" in table else None,
        axis_name=table["axis_name"].strip() if "axis_name" in table else None,
        comment=as_comment(table.get("comment", "")),
        source=source,
        above=table.get("above", ""),
    )
    return call, table


def _returns(reader: Reader, table: Mapping[str, Any], place: str) -> tuple[tuple[Type, ...], bool]:
    if "returns" not in table:
        return (), False
    text = table["returns"]
    try:
        return parse_returns(text)
    except TypeSyntaxError as error:
        # Whatever is carried, it is not the fault of `carry`.
        reader.wrong_type(error, text, f"{place}.returns", f"{text} {table.get('carry', '')}")
        return (), False
