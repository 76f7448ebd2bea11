"""Fields of a skeleton class, with roles and examples that follow from their use in the class."""

import ast
from collections.abc import Mapping
from typing import Any

from scaffold.source.expressions import nodes_of
from scaffold.source.instance import attribute_of_self, last_name
from scaffold.spec.grammar.type_parser import parse_type
from scaffold.spec.grammar.types import CallableType, arrays
from scaffold.spec.reading.roles import legal_roles, role_of
from scaffold.spec.skeletons.classes import functions, inferred
from scaffold.spec.skeletons.classes.as_written import is_of_equinox, says_no_word
from scaffold.spec.skeletons.classes.class_statements import is_of_anything
from scaffold.spec.skeletons.classes.class_tables import ClassTables
from scaffold.spec.skeletons.classes.fields import read_field, stored_type
from scaffold.spec.skeletons.classes.made_roles import stores_what_is_given
from scaffold.spec.skeletons.shapes.algebra.functions import MAPS
from scaffold.spec.skeletons.words.names import Names
from scaffold.spec.skeletons.words.notes import Notes

_ANY = ("param", "static", "data")
"""Roles for a field without a role, in a class that stays as written. The first legal role counts."""


def take_field(tables: ClassTables, statement: ast.AnnAssign) -> dict[str, Any]:
    """Read an annotated field into the tables, with a role and an example if its use implies them."""
    names, notes = tables.names, tables.notes
    name, table = read_field(statement, tables.node.name, names, notes)
    if (name, table["type"], tables.said_kind) == ("inference", "bool", "module"):
        table.setdefault("role", "buffer")  # a leaf, which `eqx.nn.inference_mode` sets
    if "role" not in table:
        table |= open_keys(name, table, statement.annotation, tables.node, names, notes)
    if tables.is_verbatim:
        _keep_as_it_stands(tables, table, statement)
    if _is_given(tables, name, table):
        table |= example_of(tables, name, table, statement.annotation)
    tables.fields[name] = table
    return table


def take_without_annotation(tables: ClassTables, statement: ast.Assign) -> None:
    """Refuse a field without a type, and record a stand-in so that no other fault follows."""
    name, value = ast.unparse(statement.targets[0]), ast.unparse(statement.value)
    fix = f"write its type, such as `{name}: int = {value}`"
    tables.notes.refuse(statement, ("fields", name), "has no annotation, and so is no field", fix)
    tables.fields[name] = {"type": "tree", "role": "data"}


def example_of(
    tables: ClassTables, name: str, table: Mapping[str, Any], annotation: ast.expr
) -> dict[str, str]:
    """Return the `example` of a field, a type for the tests, if the annotation says no shape."""
    example = functions.given_type(name, annotation, tables.node, tables.names)
    if not example and table["type"].startswith("="):
        example = functions.type_beside(annotation, tables.names, tables.notes)
    return {"example": example} if example and "example" not in table else {}


def _keep_as_it_stands(tables: ClassTables, table: dict[str, Any], statement: ast.AnnAssign) -> None:
    """Keep the default of a field, and its annotation if no role is legal for the type."""
    kind = stored_type(table)
    role = role_of(kind, table)
    if not {*([role] if role else _ANY)} & {*legal_roles(kind)}:
        if arrays(kind):
            table.setdefault("example", table["type"])
        table["type"] = f"={tables.notes.segment(statement.annotation)}"
    if "default" in table and not isinstance(kind, CallableType):
        table["in_class"] = True


def _is_given(tables: ClassTables, name: str, table: Mapping[str, Any]) -> bool:
    """Whether the generated constructor takes a field without an example in `@test(values=...)`."""
    role = table.get("role")
    is_made = {"init", "default", "optional"} & table.keys() or role in ("derived", "shared", "state")
    return not (inferred.constructor_of(tables.node) or is_made or name in tables.names.valued)


def give_roles(fields: Mapping[str, dict[str, Any]]) -> None:
    """Set a role for each field whose type has no default role, in a class that stays as written."""
    for table in fields.values():
        written = parse_type(str(table["type"]))
        if role_of(stored_type(table), table) is None is role_of(written, table):
            legal = legal_roles(written)
            table["role"] = next(role for role in _ANY if role in legal)


def open_keys(
    name: str, table: Mapping[str, Any], annotation: ast.expr, owner: ast.ClassDef, names: Names, notes: Notes
) -> dict[str, str]:
    """Return the role, type and example of an `Any` or `Callable` field, by its use, or no keys.

    An `Any` field gets a role if its class stays as written. A `Callable` that an Equinox Module stores as
    given may be a layer. The annotation keeps the types of arguments and results.
    """
    text = f"={notes.segment(annotation)}"
    if is_of_anything(annotation, owner, names) and says_no_word(owner, names):
        role = _role_by_use(name, owner)
        return (
            {"role": role, "type": text} | ({"example": "callable"} if role == "module" else {})
            if role
            else {}
        )
    is_any_callable = isinstance(stored_type(table), CallableType) and stores_what_is_given(name, owner)
    if not (is_any_callable and is_of_equinox(owner, names)):
        return {}
    is_bare = last_name(getattr(annotation, "value", annotation)) != "Callable"
    return {"role": "module"} | ({} if is_bare else {"type": text, "example": "callable"})


def _role_by_use(name: str, owner: ast.ClassDef) -> str:
    """Return `module` if the class calls a field, `param` if no code reads the field, or else `""`."""
    reads = [node for node in ast.walk(owner) if attribute_of_self(node, ast.Load) == name]
    callers = [*nodes_of(ast.Call, owner)]
    mapped = [call.args[0] for call in callers if call.args and last_name(call) in MAPS]
    is_called = any(part in reads for part in (*(call.func for call in callers), *mapped))
    return "module" if is_called else "" if reads else "param"
