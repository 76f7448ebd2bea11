"""Values of static fields that the checks of a spec just accept, or just refuse."""

import ast
import contextlib
from collections.abc import Iterator
from typing import Any

from scaffold.spec.construction.arithmetic import COMPARISONS, evaluate
from scaffold.spec.construction.constructor import reads, sources_of
from scaffold.spec.grammar.types import LiteralType, ScalarType
from scaffold.spec.grammar.values import literal_or_none
from scaffold.spec.model import Field, ModuleSpec
from scaffold.suite.examples.declared import is_stored_as_given, number_source

DIGITS = 9  # behind the point of a bound: what binary fractions add beyond is noise


def bounds(spec: ModuleSpec) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return values of static fields that the checks just accept, and values that they just refuse."""
    accepted: list[tuple[str, str]] = []
    rejected: list[tuple[str, str]] = []
    for field in spec.static:
        # Elsewhere in the constructor a strange value may raise another error first.
        alone = is_stored_as_given(field) and not is_read_elsewhere(spec, field)
        for value, holds in (*_at_bounds(field), *_listed(field), *_words(field)) if alone else ():
            (accepted if holds else rejected).append((field.name, repr(value)))
    return accepted, rejected


def is_read_elsewhere(spec: ModuleSpec, field: Field) -> bool:
    """Whether the constructor reads a field for anything but its own check."""
    others = [other for other in spec.fields if other is not field]
    sources = [
        source for field in others for source in (*sources_of(field), *([field.check] if field.check else []))
    ]
    return bool(spec.setup.strip()) or any(field.name in reads(source) for source in sources)


def _at_bounds(field: Field) -> Iterator[tuple[int | float, bool]]:
    """Yield each bound of a check, and numbers beside it with another outcome, each with the outcome."""
    if not (field.check and isinstance(field.type, ScalarType) and field.type.name in ("int", "float")):
        return
    number, step = (int, 1) if field.type.name == "int" else (float, 0.001)
    for bound in _bounds(field.check, field.name):
        holds = evaluate(field.check, {field.name: bound})
        yield number(bound), holds
        for beyond in (bound - step, bound + step):
            if evaluate(field.check, {field.name: beyond}) is not holds:
                yield round(beyond, DIGITS), not holds


def _listed(field: Field) -> Iterator[tuple[Any, bool]]:
    """Yield the values that a check such as `axis in (-1, -2)` lists, and others that it does not list.

    Each comes with whether the check accepts it.
    """
    match ast.parse(field.check or "None", mode="eval").body:
        case ast.Compare(left=ast.Name(id=field.name), ops=[ast.In()], comparators=[source]):
            with contextlib.suppress(ValueError):  # a name among them
                listed = list(ast.literal_eval(source))
                yield from ((value, True) for value in listed)
                yield from ((value, False) for value in _beside(listed))
        case _:
            return


def _words(field: Field) -> Iterator[tuple[str, bool]]:
    """Yield the strings of a `Literal` type, except the default, if the field has no check."""
    words = field.type.values if isinstance(field.type, LiteralType) and not field.check else ()
    usual = literal_or_none(field.default) if field.default else None
    yield from ((word, True) for word in words if isinstance(word, str) and word != usual)


def _beside(listed: list[Any]) -> Iterator[int | str]:
    """Yield unlisted integers next to listed ones or of the other sign, or one unlisted string."""
    numbers = [listed_size for listed_size in listed if type(listed_size) is int]
    near = dict.fromkeys(value for number in numbers for value in (number - 1, number + 1, -number))
    yield from (value for value in near if value not in listed)
    if listed and all(isinstance(each, str) for each in listed):
        yield from {"another"}.difference(listed)


def _bounds(check: str, name: str) -> list[int | float]:
    """Return the numbers that a check compares the field with, or nothing for a check of another form."""
    node = ast.parse(check, mode="eval").body
    if not isinstance(node, ast.Compare) or any(
        type(comparison) not in COMPARISONS for comparison in node.ops
    ):
        return []
    operands = [node.left, *node.comparators]
    names = [operand.id for operand in operands if isinstance(operand, ast.Name)]
    others = [operand for operand in operands if not isinstance(operand, ast.Name)]
    is_plain = all(number_source(ast.unparse(operand)) is not None for operand in others)
    return [ast.literal_eval(operand) for operand in others] if names == [name] and is_plain else []
