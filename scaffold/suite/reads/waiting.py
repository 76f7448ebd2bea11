"""Methods that need another method first: they raise while a part is None that the other makes."""

import ast
from collections.abc import Iterable, Iterator, Mapping

from scaffold.passes.variables import assigned_attributes
from scaffold.source.expressions import dedented, nodes_of
from scaffold.source.instance import attribute_of_self
from scaffold.spec.model import Method, ModuleSpec
from scaffold.spec.once import once


def asks_for(spec: ModuleSpec, method: Method, known: Mapping[str, ModuleSpec]) -> str:
    """Return the method to call before this one, or an empty text.

    A method also waits if it calls a method of a part that waits.
    """
    every = {**known, spec.name: spec}.values()
    waiting = {name: first for each in every for name, first in _waiting(each)}
    if not waiting:
        return ""
    calls = nodes_of(ast.Call, *_statements(method))
    called = (call.func.attr for call in calls if isinstance(call.func, ast.Attribute))
    own = dict(_waiting(spec)).get(method.name, "")
    return own or next((waiting[name] for name in called if name in waiting), "")


@once
def _waiting(spec: ModuleSpec) -> tuple[tuple[str, str], ...]:
    """Return the methods that raise while a part is None, each with the method that makes the part."""
    made = [
        (method.name, set(assigned_attributes(method.call.body)))
        for method in spec.methods
        if method.name != "__init__"
    ]
    return tuple(
        (method.name, first)
        for method in spec.methods
        for part in _parts_asked_for(_statements(method))
        for first, parts in made
        if part in parts and first != method.name
    )


def _statements(method: Method) -> list[ast.stmt]:
    return ast.parse(dedented(method.call.body)).body


def _parts_asked_for(statements: Iterable[ast.stmt]) -> Iterator[str]:
    """Yield the attributes without which a method raises: `if self.cache is None: raise`."""
    for statement in statements:
        match statement:
            case ast.If(
                test=ast.Compare(left=left, ops=[ast.Is()], comparators=[ast.Constant(value=None)]),
                body=[ast.Raise(), *_],
            ):
                name = attribute_of_self(left)
                yield from () if name is None else (name,)
            case _:
                pass
