"""Defaults that a suite declares, since no example and no other declaration shows them."""

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from scaffold.spec.construction.constructor import parameters
from scaffold.spec.model import Argument
from scaffold.suite.declarations.methods import functions
from scaffold.suite.examples.examples import constructor_name
from scaffold.suite.examples.given_records import takes_records
from scaffold.suite.examples.subject import Subject


def declared_defaults(subject: Subject) -> dict[str, Any]:
    """Return the literal defaults by function and parameter, such as `create.scale`."""
    constructor = constructor_name(subject.spec).partition(".")[2] or "__init__"
    # What the example leaves out shows in the leaves and static values.
    passed = (one for one in parameters(subject.spec) if one.name in subject.inputs)
    pairs = [(constructor, one.name, one.default) for one in passed]
    if subject.spec.call is not None and not subject.method:
        pairs += _of("__call__", subject.spec.call.args)
    for method in functions(subject.spec, subject.known):
        pairs += [] if takes_records(method.name) else _of(method.name, method.call.args)
    return {
        f"{function}.{name}": ast.literal_eval(default)
        for function, name, default in pairs
        if default is not None and _is_told(default)
    }


def _of(function: str, arguments: Iterable[Argument]) -> Iterator[tuple[str, str, str | None]]:
    for argument in arguments:
        yield function, argument.name, argument.default


def _is_told(default: str) -> bool:
    """Whether a default is a literal flag, number or text."""
    try:
        return isinstance(ast.literal_eval(default), bool | int | float | str)
    except (ValueError, SyntaxError):
        return False
