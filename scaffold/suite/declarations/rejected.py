"""Inputs that a constructor must refuse: beyond a bound, of another type, or named in the spec."""

import ast
from collections.abc import Iterator

from scaffold.emit.constructor.checks import is_checked
from scaffold.source.expressions import dedented
from scaffold.source.instance import named_value
from scaffold.spec.grammar.types import (
    CallableType,
    ClassType,
    DictType,
    ListType,
    LiteralType,
    ScalarType,
    TupleType,
    Type,
    UnionType,
)
from scaffold.suite.declarations.bounds import bounds, is_read_elsewhere
from scaffold.suite.declarations.refused import other_shapes, refused_by_checks
from scaffold.suite.examples.subject import Subject


def rejected_inputs(subject: Subject) -> list[list[str]]:
    """Return changes to the inputs that the constructor must refuse, each with the error."""
    spec = subject.spec
    at_bounds = ((row,) for row in bounds(spec)[1])
    rows = dict.fromkeys(
        (*spec.test.rejected, *at_bounds, *refused_by_checks(subject), *other_shapes(subject))
    )
    rows_of_checks = [[changed(row), "ValueError"] for row in rows]
    checked_above = {*names_checked(spec.setup)}
    static = (
        field
        for field in spec.static
        # Nothing is added to a class of the author's own, or to its check.
        if not (spec.source or spec.defines("__check_init__"))
        and field.name not in checked_above
        and field.given
        and is_checked(field)
        and field.converter is None
        and field.preprocess is None
        # Of an object the constructor may ask what it is for before its type is looked at.
        if not (isinstance(field.type, ClassType) and is_read_elsewhere(spec, field))
    )
    return rows_of_checks + [
        [changed(((static_field.name, wrong),)), "TypeError"]
        for static_field in static
        for wrong in _all_wrong(static_field.type)
    ]


def names_checked(setup: str) -> Iterator[str]:
    """Yield the names that statements of the constructor check before it checks types."""
    for node in ast.walk(ast.parse(dedented(setup))):
        match node:
            case ast.If(test=test, body=body) if any(isinstance(part, ast.Raise) for part in body):
                yield from filter(None, map(named_value, ast.walk(test)))
            case ast.Assert(test=test):
                yield from filter(None, map(named_value, ast.walk(test)))
            case _:
                pass


def changed(row: tuple[tuple[str, str], ...]) -> str:
    """Write a change to the inputs as a dict of arguments."""
    return "{" + ", ".join(f'"{name}": {source}' for name, source in row) + "}"


def _all_wrong(kind: Type) -> tuple[str, ...]:
    """Return values of other types. To Python a bool is an int, and equal to one."""
    match kind:
        case ScalarType(name="int"):
            return _wrong(kind), "True"
        case ScalarType(name="bool"):
            return _wrong(kind), "1"
        case _:
            return (_wrong(kind),)


def _wrong(kind: Type) -> str:
    match kind:
        case ScalarType(name="float"):
            return 'float("nan")'
        case ScalarType(name="int"):
            return "2.5"
        case CallableType():
            return "lambda x: x"
        case TupleType(items=(item,), variadic=True) | ListType(item=item):
            return f"({_wrong(item)},)"
        case TupleType():
            return "()"
        case DictType(item=item):
            return f'{{"a": {_wrong(item)}}}'
        case UnionType() | LiteralType() | _:
            return "1j"
