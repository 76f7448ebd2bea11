"""Constructor and methods of a class as text of a skeleton."""

from collections.abc import Iterator, Mapping
from typing import Any

from scaffold.convert.class_tables import BODY, INDENT, ClassTables, comment_lines
from scaffold.convert.docstrings import begins_with_text, docstring
from scaffold.convert.literals import expression
from scaffold.spec.construction.constructor import Parameter, parameters
from scaffold.spec.grammar.type_texts import annotation, result
from scaffold.spec.model import Argument
from scaffold.spec.reading.field_text import parse_argument, parse_returns, split_top


def constructor_lines(tables: ClassTables) -> Iterator[str]:
    """Yield the lines of the constructor, written in full."""
    is_init = tables.spec.constructor == "init"
    owner, returns = ("self", "None") if is_init else ("cls", repr(tables.spec.name))
    if not is_init:
        yield f"{INDENT}@classmethod"
    name = "__init__" if is_init else "create"
    yield f"{INDENT}def {name}({', '.join([owner, *_signature(tables)])}) -> {returns}:"
    setup = tables.spec.setup
    made = {
        field.name: field.name if field.given else tables.texts.hide(expression(field.expression or ""))
        for field in tables.spec.fields
        if (field.given and not (field.converter or field.preprocess)) or tables.is_made(field)
    }
    if doc := docstring(tables.spec.constructor_doc, BODY):
        yield BODY + doc
    if setup:
        yield BODY + tables.texts.hide(setup)
    if is_init:
        yield from (f"{BODY}self.{field} = {source}" for field, source in made.items())
        yield from () if setup or made else (f"{BODY}...",)
    else:
        yield f"{BODY}return cls({', '.join(f'{field}={source}' for field, source in made.items())})"


def _signature(tables: ClassTables) -> Iterator[str]:
    """Yield every parameter of the constructor, derived ones too."""
    declared = {argument.name: argument for argument in tables.spec.arguments}
    by_keyword = False
    for parameter in parameters(tables.spec):
        if parameter.keyword_only and not by_keyword:
            by_keyword = True
            yield "*"
        yield _parameter(tables, parameter, declared.get(parameter.name))


def _parameter(tables: ClassTables, parameter: Parameter, declared: Argument | None) -> str:
    if parameter.source == "dtype":
        return "dtype: DTypeLike | None = " + (parameter.default or "None")
    if parameter.source == "rngs":
        return "rngs: nnx.Rngs"
    kind = declared.type if declared is not None else None
    simple = (
        parameter.source != "field"
        or parameter.field is None
        or not (parameter.field.nullable or parameter.field.optional)
    )
    kind = kind or (parameter.type if simple else None)
    name = parameter.name if kind is None else f"{parameter.name}: {annotation(kind, tables.spec.name)}"
    return name if parameter.default is None else f"{name} = {tables.texts.hide(parameter.default)}"


def further(tables: ClassTables, name: str, table: Mapping[str, Any]) -> str:
    """Return a further constructor: a class method that returns an instance."""
    return method(tables, name, {**table, "decorator": "classmethod", "returns": tables.spec.name})


def method(tables: ClassTables, name: str, table: Mapping[str, Any]) -> str:
    """Return a method with its comment and decorators."""
    if "source" in table:
        return carried(tables, table)
    doc = docstring(table.get("doc", ""), BODY, loose=True)
    names = ("carry", "axis_name") if doc is not None else ("carry", "axis_name", "doc")
    keys = [f"{key}={table[key]!r}" for key in names if key in table]
    decorators = [
        decorator.strip().removeprefix("@") for decorator in str(table.get("decorator", "")).split("\n")
    ]
    function = next((candidate for candidate in tables.spec.methods if candidate.name == name), None)
    owner = "self" if function is None else function.owner
    body = str(table["body"])
    is_abstract = body.strip() == "..."
    lines = [*comment_lines(table.get("comment", ""))]
    lines += [f"{INDENT}@{tables.prefix}call({', '.join(keys)})"] if keys else []
    lines += [f"{INDENT}@{decorator}" for decorator in decorators if decorator] + [
        f"{INDENT}@abstractmethod"
    ] * is_abstract
    parts = [part for part in split_top(str(table.get("args", "")), ",") if part]
    arguments = [_argument(tables, parse_argument(part)) for part in parts]
    returns = ""
    if "returns" in table:
        kinds, several = parse_returns(str(table["returns"]))
        returns = f" -> {result(kinds, several, tables.spec.name)}"
    lines.append(f"{INDENT}def {name}({', '.join(filter(None, [owner, *arguments]))}){returns}:")
    if doc or begins_with_text(body):  # or the body's own text would be taken for it
        lines.append(BODY + (doc or '""""""'))
    if not (doc and is_abstract):
        lines.append(BODY + tables.texts.hide(body))
    return "\n".join(lines)


def carried(tables: ClassTables, table: Mapping[str, Any]) -> str:
    """Return a definition word for word, with its comment and the decorator for its keys."""
    keys = [f"{key}={table[key]!r}" for key in ("carry", "axis_name") if key in table]
    decorators = [f"{INDENT}@{tables.prefix}call({', '.join(keys)})"] if keys else []
    source = tables.texts.hide(str(table["source"]))
    return "\n".join([*comment_lines(table.get("comment", "")), *decorators, INDENT + source])


def _argument(tables: ClassTables, argument: Argument) -> str:
    if argument.type is None:
        return argument.name
    text = f"{argument.name}: {annotation(argument.type, tables.spec.name)}"
    return text if argument.default is None else f"{text} = {tables.texts.hide(argument.default)}"
