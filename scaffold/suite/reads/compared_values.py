"""Strings and numbers with which the code of a class compares an argument or a field."""

import ast
from collections.abc import Iterator

from scaffold.source.expressions import local_values
from scaffold.source.instance import last_name, named_value
from scaffold.spec.construction.divisions import class_sources
from scaffold.spec.grammar.values import literal_or_none
from scaffold.spec.model import ModuleSpec


def compared_texts(spec: ModuleSpec, name: str) -> tuple[str, ...]:
    """Return the strings with which code compares `name`, or the keys of a table that it indexes.

    An example is `mode in ("sum", "mean")`.
    """
    tables = {table: value for table, value in local_values(spec.helpers)} if spec.helpers else {}
    return tuple(dict.fromkeys(text for choice in _compared(spec, name) for text in _texts(choice, tables)))


def listed_numbers(spec: ModuleSpec, name: str) -> tuple[int, ...]:
    """Return the whole numbers among which code looks for `name`: `order not in (0, 1, 2)`."""
    displays = (
        choice for choice in _compared(spec, name) if isinstance(choice, ast.Tuple | ast.List | ast.Set)
    )
    values = (literal_or_none(part) for display in displays for part in display.elts)
    return tuple(value for value in values if type(value) is int)


def _compared(spec: ModuleSpec, name: str) -> Iterator[ast.AST]:
    """Yield what the code of a class compares `name` with."""
    nodes = (node for source in class_sources(spec) if name in source for node in ast.walk(ast.parse(source)))
    return (choice for node in nodes for choice in _choices(node, name))


def _choices(node: ast.AST, name: str) -> Iterator[ast.AST]:
    """Yield the expressions and patterns with which a node compares the name."""
    match node:
        case ast.Compare(
            left=left, ops=[ast.Eq() | ast.NotEq() | ast.In() | ast.NotIn()], comparators=[right]
        ):
            yield from (other for one, other in ((left, right), (right, left)) if named_value(one) == name)
        case ast.Subscript(value=table, slice=index) if named_value(index) == name:
            yield table
        case ast.Call(func=ast.Attribute(value=table, attr="get"), args=[index, *_]) if (
            named_value(index) == name
        ):
            yield table
        case ast.Call(func=ast.Name("getattr"), args=[holder, index, *_]) if named_value(index) == name:
            # Whatever else the module has, a function of one number is what a class takes from it by name.
            yield from [ast.Constant("tanh")] * (last_name(holder) in ("nn", "nnx", "jnp", "numpy"))
        case ast.Match(subject=subject, cases=cases) if named_value(subject) == name:
            yield from (case.pattern for case in cases)
        case _:
            pass


def _texts(choice: ast.AST, tables: dict[str, ast.expr]) -> Iterator[str]:
    """Yield the strings of a literal, of the keys of a dict, or of a table that the module names."""
    choice = tables.get(choice.id, choice) if isinstance(choice, ast.Name) else choice
    parts = [key for key in choice.keys if key is not None] if isinstance(choice, ast.Dict) else [choice]
    constants = (node for part in parts for node in ast.walk(part) if isinstance(node, ast.Constant))
    yield from (node.value for node in constants if isinstance(node.value, str))
