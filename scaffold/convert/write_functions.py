"""The constructor and the methods of one class, as text of a skeleton."""

from collections.abc import Iterator, Mapping
from typing import Any

from scaffold.convert.class_tables import BODY, INDENT, ClassTables, comment_lines
from scaffold.convert.docstrings import begins_with_text, docstring
from scaffold.convert.literals import expression
from scaffold.spec.construction.constructor import Parameter, parameters
from scaffold.spec.grammar.type_texts import annotation, result
from scaffold.spec.model import Argument
from scaffold.spec.reading.signature import parse_argument, parse_returns, split_top


def constructor_lines(given: ClassTables) -> Iterator[str]:
    """The constructor, written in full."""
    is_init = given.spec.constructor == "init"
    owner, returns = ("self", "None") if is_init else ("cls", repr(given.spec.name))
    if not is_init:
        yield f"{INDENT}@classmethod"
    name = "__init__" if is_init else "create"
    yield f"{INDENT}def {name}({', '.join([owner, *_signature(given)])}) -> {returns}:"
    setup = given.spec.setup
    made = {
        one.name: one.name if one.given else given.texts.hide(expression(one.expression or ""))
        for one in given.spec.fields
        if (one.given and not (one.converter or one.preprocess)) or given.is_made(one)
    }
    if setup:
        yield BODY + given.texts.hide(setup)
    if is_init:
        yield from (f"{BODY}self.{field} = {source}" for field, source in made.items())
        yield from () if setup or made else (f"{BODY}...",)
    else:
        yield f"{BODY}return cls({', '.join(f'{field}={source}' for field, source in made.items())})"


def _signature(given: ClassTables) -> Iterator[str]:
    """Every argument of the constructor, as it will be."""
    declared = {one.name: one for one in given.spec.arguments}
    by_keyword = False
    for parameter in parameters(given.spec):
        if parameter.keyword_only and not by_keyword:
            by_keyword = True
            yield "*"
        yield _parameter(given, parameter, declared.get(parameter.name))


def _parameter(given: ClassTables, one: Parameter, declared: Argument | None) -> str:
    if one.source == "dtype":
        return "dtype: DTypeLike | None = " + (one.default or "None")
    if one.source == "rngs":
        return "rngs: nnx.Rngs"
    kind = declared.type if declared is not None else None
    simple = one.source != "field" or one.field is None or not (one.field.nullable or one.field.optional)
    kind = kind or (one.type if simple else None)
    name = one.name if kind is None else f"{one.name}: {annotation(kind, given.spec.name)}"
    return name if one.default is None else f"{name} = {given.texts.hide(one.default)}"


def further(given: ClassTables, name: str, table: Mapping[str, Any]) -> str:
    """A further constructor: a class method that returns an instance."""
    return method(given, name, {**table, "decorator": "classmethod", "returns": given.spec.name})


def method(given: ClassTables, name: str, table: Mapping[str, Any]) -> str:
    """One method, with its comment and its decorators."""
    if "source" in table:
        return carried(given, table)
    doc = docstring(table.get("doc", ""), BODY, loose=True)
    names = ("carry", "axis_name") if doc is not None else ("carry", "axis_name", "doc")
    keys = [f"{key}={table[key]!r}" for key in names if key in table]
    decorators = [one.strip().removeprefix("@") for one in str(table.get("decorator", "")).split("\n")]
    function = next((one for one in given.spec.methods if one.name == name), None)
    owner = "self" if function is None else function.owner
    body = str(table["body"])
    is_abstract = body.strip() == "..."
    lines = [*comment_lines(table.get("comment", ""))]
    lines += [f"{INDENT}@{given.prefix}call({', '.join(keys)})"] if keys else []
    lines += [f"{INDENT}@{one}" for one in decorators if one] + [f"{INDENT}@abstractmethod"] * is_abstract
    parts = [part for part in split_top(str(table.get("args", "")), ",") if part]
    arguments = [_argument(given, parse_argument(part)) for part in parts]
    returns = ""
    if "returns" in table:
        kinds, several = parse_returns(str(table["returns"]))
        returns = f" -> {result(kinds, several, given.spec.name)}"
    lines.append(f"{INDENT}def {name}({', '.join(filter(None, [owner, *arguments]))}){returns}:")
    if doc or begins_with_text(body):  # or the body's own text would be taken for it
        lines.append(BODY + (doc or '""""""'))
    if not (doc and is_abstract):
        lines.append(BODY + given.texts.hide(body))
    return "\n".join(lines)


def carried(given: ClassTables, table: Mapping[str, Any]) -> str:
    """A definition that is kept word for word, with what is said of it."""
    keys = [f"{key}={table[key]!r}" for key in ("carry", "axis_name") if key in table]
    told = [f"{INDENT}@{given.prefix}call({', '.join(keys)})"] if keys else []
    source = given.texts.hide(str(table["source"]))
    return "\n".join([*comment_lines(table.get("comment", "")), *told, INDENT + source])


def _argument(given: ClassTables, one: Argument) -> str:
    if one.type is None:
        return one.name
    text = f"{one.name}: {annotation(one.type, given.spec.name)}"
    return text if one.default is None else f"{text} = {given.texts.hide(one.default)}"
