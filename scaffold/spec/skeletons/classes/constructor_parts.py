"""The statements of a constructor, apart from what makes the fields at its end."""

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from scaffold.spec.source.definitions import says_nothing
from scaffold.spec.source.expressions import local_names, nodes_of
from scaffold.spec.source.instance import assigned_pairs, attribute_of_self

Parts = tuple[list[ast.stmt], dict[str, ast.expr] | None]
"""The statements above those that make fields, and what makes each field; None of a `create` that ends otherwise."""

_READS = {*dir(tuple), *dir(frozenset), "get", "items", "keys", "values"}
_CHANGES = {name for kind in (list, dict, set) for name in dir(kind)} - _READS
"""The methods by which a container of Python changes."""


def parts_of(node: ast.FunctionDef, *, moves: bool) -> Parts:
    """The parts of an `__init__` or a `create`.

    With `moves`, an assignment of a field goes below the statements that follow it, where it makes the same there.
    """
    statements = [statement for statement in node.body if not says_nothing(statement)]
    if node.name == "create" and statements:
        match statements.pop():
            case ast.Return(value=ast.Call(func=ast.Name(id="cls"), args=[], keywords=keywords)):
                return statements, {keyword.arg or "**": keyword.value for keyword in keywords}
            case _:
                return statements, None
    kept: list[ast.stmt] = []
    inits: dict[str, ast.expr] = {}
    while statements:
        made = fields_made(statements[-1])
        is_last = moves and not made and _stays_above(statements[-1], statements[:-1])
        if not (made or is_last) or not inits.keys().isdisjoint(made):
            break
        inits = {**made, **inits}
        kept = [*([] if made else statements[-1:]), *kept]
        statements.pop()
    return [*statements, *kept], inits


def runs_of(statements: list[ast.stmt], body: list[ast.stmt]) -> Iterator[list[ast.stmt]]:
    """Statements of a body in the runs that they form there."""
    run: list[ast.stmt] = []
    for statement in body:
        if statement in statements:
            run.append(statement)
        elif run and not says_nothing(statement):
            yield run
            run = []
    if run:
        yield run


def unmade_fields(node: ast.FunctionDef, fields: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The fields that an `__init__` does not assign, and that hold nothing without it; none where something else may assign them."""
    of_self = {name: part for part in nodes_of(ast.Attribute, node) if (name := attribute_of_self(part))}
    reads = [part for part in nodes_of(ast.Name, node) if part.id in ("self", "super")]
    attributes = [part.value for part in nodes_of(ast.Attribute, node)]
    is_handed_on = any(part not in attributes or part.id == "super" for part in reads)
    if node.name != "__init__" or is_handed_on or not of_self.keys() <= fields.keys():
        return []
    unmade = (
        (name, table) for name, table in fields.items() if name not in of_self and "default" not in table
    )
    return [name for name, table in unmade if table.get("role") not in ("derived", "shared", "state")]


def fields_made(statement: ast.stmt) -> dict[str, ast.expr]:
    """The fields that an assignment makes, each with what makes it; none of any other statement."""
    pairs = assigned_pairs(statement)
    made = {name: value for target, value in pairs if (name := attribute_of_self(target))}
    return made if len(made) == len(pairs) else {}


def _stays_above(statement: ast.stmt, above: list[ast.stmt]) -> bool:
    """Whether a statement may run before the assignments of fields above it: it binds names, and touches none that they read."""
    if not isinstance(statement, ast.Assign | ast.AnnAssign):
        return False
    touched = {*local_names([statement]), *_changed_objects(statement)}
    read = {name.id for part in above if fields_made(part) for name in nodes_of(ast.Name, part)}
    return touched.isdisjoint(read)


def _changed_objects(statement: ast.stmt) -> Iterator[str]:
    """The local names of which a statement calls a method that changes them: `rows` of `rows.pop()`, and `rngs`, which counts."""
    for call in nodes_of(ast.Call, statement):
        if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
            name = call.func.value.id
            yield from [name] * (name == "rngs" or call.func.attr in _CHANGES)
