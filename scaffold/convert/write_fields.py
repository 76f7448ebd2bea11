"""The fields of one class, as lines of a skeleton."""

from collections.abc import Iterator
from typing import Any

from scaffold.convert.class_tables import INDENT, ClassTables, comment_lines
from scaffold.convert.docstrings import docstring
from scaffold.convert.write_functions import carried
from scaffold.spec.grammar.type_parser import parse_type
from scaffold.spec.grammar.type_texts import annotation
from scaffold.spec.grammar.types import ScalarType, Type, walk, without_none
from scaffold.spec.reading.field_text import parse_field_text
from scaffold.spec.reading.roles import role_of
from scaffold.spec.skeletons.classes.fields import FIRST, WORDS
from scaffold.spec.tables.raw import as_table


def fields_of(given: ClassTables) -> Iterator[str]:
    """The lines of all fields."""
    for name, table in as_table(given.raw.get("fields")).items():
        keys = parse_field_text(table) if isinstance(table, str) else dict(as_table(table))
        yield from _statements(given, name)
        yield from field_lines(given, name, keys)
    yield from _statements(given, "...")


def _statements(given: ClassTables, field: str) -> Iterator[str]:
    """The carried statements above a field."""
    for table in map(as_table, as_table(given.raw.get("methods")).values()):
        if table.get("above") == field:
            yield carried(given, table)


def field_lines(given: ClassTables, name: str, table: dict[str, Any]) -> Iterator[str]:
    """The lines of one field, whose table is used up."""
    kind = parse_type(table.pop("type"))
    said = annotation(kind, given.spec.name) + (" | None" if "optional" in table else "")
    doc = docstring(table.get("doc", ""), INDENT)
    if doc is not None:
        table.pop("doc", None)
    field = given.spec.field(name)
    usual = role_of(without_none(kind), table)
    if field is not None and given.is_made(field):
        table.pop("init")
    yield from comment_lines(table.pop("comment", ""))
    made = _value(given, kind, table, usual)
    yield f"{INDENT}{name}: {said}" + (f" = {made}" if made else "")
    if doc:
        yield INDENT + doc


def _value(given: ClassTables, kind: Type, table: dict[str, Any], usual: str | None) -> str:
    """What stands behind the annotation; nothing where that says it all. `usual` is the role of a field that says none."""
    role = table.pop("role", None)
    code = (role or usual) in ("callable", "module")
    if role is None and not table:
        return ""
    if role is None and set(table) == {"default"} and not _is_told_otherwise(kind):
        return given.texts.value(table["default"], (), code=code or is_code(table["default"]))
    word = role or usual or "field"
    first = [f"role={role!r}"] if role == "callable" else []
    word = word if word in WORDS else "field"
    told = [_key(given, key, one, word, code) for key, one in table.items()]
    return f"{given.prefix}{word}({', '.join([*first, *sorted(told, key=_is_named)])})"


def _key(given: ClassTables, key: str, one: Any, word: str, code: bool) -> str:
    """One key of a field, by position where the word takes it so."""
    text = _value_of_key(given, key, one, code)
    return text if word != "field" and key == FIRST.get(word, "init") else f"{key}={text}"


def _value_of_key(given: ClassTables, key: str, one: Any, code: bool) -> str:
    match key:
        case "check" | "preprocess":
            return given.texts.function(str(one).strip().removeprefix("="), given.local)
        case "init" | "converter" if str(one).strip().startswith("="):
            return given.texts.function(str(one).strip()[1:], given.local)
        case "converter":
            return str(one).strip()
        case "default":
            return given.texts.value(one, (), code=code or is_code(one))
        case "std" | "of" | "init":
            return repr(one)
        case _:
            return given.texts.value(one, ())


def _is_told_otherwise(kind: Type) -> bool:
    """Whether defaults of the type are texts that stand for what they say, `"float32"`."""
    return any(isinstance(part, ScalarType) and part.name in ("dtype", "slice") for part in walk(kind))


def _is_named(text: str) -> bool:
    """Whether it is `KEY=VALUE`, which goes behind what is given by position."""
    head = text.partition("=")[0]
    return head.isidentifier()


def is_code(one: Any) -> bool:
    return isinstance(one, str) and one.startswith("=")
