"""Fields whose arrays hold whole numbers or flags.

A value that code puts into such an array has the same dtype.
"""

import ast
from collections.abc import Iterator
from typing import Literal

from scaffold.source.definitions import annotated_names
from scaffold.source.expressions import Function, nodes_of
from scaffold.source.instance import arguments_by_name, last_name, made_attributes
from scaffold.spec.construction.written_dtypes import dtypes_given

Held = Literal["counts", "flags"]


def made_dtypes(owner: ast.ClassDef) -> dict[str, Held]:
    """Map each such field to the kind of its elements, as after `self.done = jnp.zeros(size, bool)`."""
    known: dict[str, Held] = {}
    for name, value in _made(owner):
        if held := held_in(value):
            known.setdefault(name, held)
    return known


def held_in(made: ast.expr) -> Held | None:
    """Return what the array that an expression makes holds, or None for floats or an unknown dtype."""
    kinds: dict[str, Held] = {"b": "flags", "i": "counts", "u": "counts"}
    return next((kinds[dtype[0]] for dtype in dtypes_given(made) if dtype[0] in kinds), None)


def _made(owner: ast.ClassDef) -> Iterator[tuple[str, ast.expr]]:
    """Yield the fields that the class assigns or passes to its constructor, each with its expression."""
    fields = [name for name, _ in annotated_names(owner.body)]
    for function in (part for part in owner.body if isinstance(part, Function)):
        yield from made_attributes(function)
        calls = (call for call in nodes_of(ast.Call, function) if last_name(call) in ("cls", owner.name))
        for call in calls:
            yield from arguments_by_name(call, fields)
