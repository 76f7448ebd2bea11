"""Inputs that a check or a shape refuses, found without running the constructor."""

from collections.abc import Iterator
from typing import Any, cast

from scaffold.emit.constructor.shapes import shapes_held
from scaffold.spec.construction.arithmetic import evaluate
from scaffold.spec.construction.constructor import is_plain
from scaffold.spec.construction.sizes import all_positive
from scaffold.spec.grammar.dtypes import DTYPES
from scaffold.spec.grammar.types import ListType, ScalarType, TupleType, Type
from scaffold.spec.grammar.values import literal_or_none
from scaffold.spec.model import Field
from scaffold.suite.declarations.bounds import bounds, is_read_elsewhere
from scaffold.suite.examples.declared import is_stored_as_given
from scaffold.suite.examples.subject import Subject

Row = tuple[tuple[str, str], ...]
_UNKNOWN = KeyError, TypeError, ValueError, ZeroDivisionError, OverflowError


def refused_by_checks(subject: Subject) -> Iterator[Row]:
    """Yield a value that each check refuses, unless a bound of the check gives one."""
    checked = {name for name, _ in bounds(subject.spec)[1]}
    for field in subject.spec.static:
        if field.check and field.name not in checked and is_stored_as_given(field):
            wrong = next(_refused(subject, field), None)
            if wrong is not None:
                yield ((field.name, repr(wrong)),)


def _refused(subject: Subject, field: Field) -> Iterator[Any]:
    values = {static.name: literal_or_none(_source(subject, static) or "") for static in subject.spec.static}
    known = {name: value for name, value in values.items() if value is not None}
    known = {**subject.examples.sizes, **known}
    for value in _near(field.type, values.get(field.name)):
        if _is_usable(subject, field, value):
            try:
                if not evaluate(field.check or "", {**known, field.name: value}):
                    yield value
            except _UNKNOWN:
                return  # it reads what is not known here


def _source(subject: Subject, field: Field) -> str | None:
    return subject.inputs.get(field.name, field.default)


def _near(kind: Type, value: Any) -> Iterator[Any]:
    """Yield values of a type near the value of the example."""
    match kind:
        case ScalarType(name="int") if type(value) is int:
            yield from (value + 1, value + 2, value - 1, 0, -1)
        case ScalarType(name="float") if type(value) in (int, float):
            yield from (value / 2, 2.0 * value, 0.0, -1.0, 2.0)
        case TupleType(variadic=True) | ListType() if isinstance(value, tuple | list) and value:
            members = tuple(cast("list[Any]", value))
            yield from ((*members, members[-1]), members[:-1])
        case _:
            return


def _is_usable(subject: Subject, field: Field, value: Any) -> bool:
    """Whether nothing else in the constructor fails for a value.

    If the constructor reads the field elsewhere, no array may be empty.
    """
    if not is_read_elsewhere(subject.spec, field):
        return True
    sizes = {**subject.examples.sizes, field.name: value}
    return (
        not subject.spec.setup.strip()
        and type(value) is int
        and value > 0
        and all_positive(subject.spec, sizes)
    )


def other_shapes(subject: Subject) -> Iterator[Row]:
    """Yield each given array that shares a dim with another, with another size in its first axis."""
    spec = subject.spec
    is_authors = spec.own_constructor is not None or bool(spec.source)
    is_checked = not is_authors and spec.rebuild != "flag" and not is_plain(spec)
    for name, array in shapes_held(spec) if is_checked else ():
        shape = subject.examples.shape(array)
        if name in subject.inputs and shape:
            dtype = DTYPES[array.dtype][1]
            rest = "" if dtype == "float" else f', "{dtype}"'
            yield ((name, f"sample(0, {(shape[0] + 1, *shape[1:])!r}{rest})"),)
