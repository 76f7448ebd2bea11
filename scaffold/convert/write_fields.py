"""Fields of a class as lines of a skeleton."""

from collections.abc import Iterator
from typing import Any

from scaffold.convert.class_tables import INDENT, ClassTables, comment_lines
from scaffold.convert.docstrings import docstring
from scaffold.convert.write_functions import carried
from scaffold.spec.grammar.type_parser import parse_type
from scaffold.spec.grammar.type_texts import annotation
from scaffold.spec.grammar.types import ScalarType, Type, walk, without_none
from scaffold.spec.raw import as_table
from scaffold.spec.reading.field_text import parse_field_text
from scaffold.spec.reading.roles import role_of
from scaffold.spec.skeletons.classes.fields import FIRST, WORDS


def fields_of(tables: ClassTables) -> Iterator[str]:
    """Yield the lines of all fields."""
    for name, table in as_table(tables.raw.get("fields")).items():
        keys = parse_field_text(table) if isinstance(table, str) else dict(as_table(table))
        yield from _statements(tables, name)
        yield from field_lines(tables, name, keys)
    yield from _statements(tables, "...")


def _statements(tables: ClassTables, field: str) -> Iterator[str]:
    """Yield the carried statements above a field."""
    for table in map(as_table, as_table(tables.raw.get("methods")).values()):
        if table.get("above") == field:
            yield carried(tables, table)


def field_lines(tables: ClassTables, name: str, table: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of a field. Consumes `table`."""
    kind = parse_type(table.pop("type"))
    said = annotation(kind, tables.spec.name) + (" | None" if "optional" in table else "")
    doc = docstring(table.get("doc", ""), INDENT)
    if doc is not None:
        table.pop("doc", None)
    field = tables.spec.field(name)
    usual = role_of(without_none(kind), table)
    if field is not None and tables.is_made(field):
        table.pop("init")
    yield from comment_lines(table.pop("comment", ""))
    made = _value(tables, kind, table, usual)
    yield f"{INDENT}{name}: {said}" + (f" = {made}" if made else "")
    if doc:
        yield INDENT + doc


def _value(tables: ClassTables, kind: Type, table: dict[str, Any], usual: str | None) -> str:
    """Return the right-hand side of a field, or nothing if the annotation suffices.

    `usual` is the role of a field that states none.
    """
    role = table.pop("role", None)
    code = (role or usual) in ("callable", "module")
    if role is None and not table:
        return ""
    if role is None and set(table) == {"default"} and not _is_told_otherwise(kind):
        return tables.texts.value(table["default"], (), code=code or is_code(table["default"]))
    word = role or usual or "field"
    first = [f"role={role!r}"] if role == "callable" else []
    word = word if word in WORDS else "field"
    keywords = [_key(tables, key, element, word, code) for key, element in table.items()]
    return f"{tables.prefix}{word}({', '.join([*first, *sorted(keywords, key=_is_named)])})"


def _key(tables: ClassTables, key: str, value: Any, word: str, code: bool) -> str:
    """Return a key of a field as an argument, by position where the word takes it first."""
    text = _value_of_key(tables, key, value, code)
    return text if word != "field" and key == FIRST.get(word, "init") else f"{key}={text}"


def _value_of_key(tables: ClassTables, key: str, value: Any, code: bool) -> str:
    match key:
        case "check" | "preprocess":
            return tables.texts.function(str(value).strip().removeprefix("="), tables.local)
        case "init" | "converter" if str(value).strip().startswith("="):
            return tables.texts.function(str(value).strip()[1:], tables.local)
        case "converter":
            return str(value).strip()
        case "default":
            return tables.texts.value(value, (), code=code or is_code(value))
        case "std" | "of" | "init":
            return repr(value)
        case _:
            return tables.texts.value(value, ())


def _is_told_otherwise(kind: Type) -> bool:
    """Whether the type takes texts as defaults for other values, such as `"float32"` for a dtype."""
    return any(isinstance(part, ScalarType) and part.name in ("dtype", "slice") for part in walk(kind))


def _is_named(text: str) -> bool:
    """Whether the text is `KEY=VALUE`, which follows positional arguments."""
    head = text.partition("=")[0]
    return head.isidentifier()


def is_code(value: Any) -> bool:
    return isinstance(value, str) and value.startswith("=")
