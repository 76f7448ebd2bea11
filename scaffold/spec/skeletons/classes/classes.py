"""Translate a skeleton class into the tables of a spec."""

import ast
from typing import Any

from msgspec.structs import replace

from scaffold.spec.raw import types_said
from scaffold.spec.skeletons.classes import class_statements, functions, inferred
from scaffold.spec.skeletons.classes.as_written import is_of_equinox, is_registered, says_no_word
from scaffold.spec.skeletons.classes.class_constructor import take_made
from scaffold.spec.skeletons.classes.class_fields import give_roles
from scaffold.spec.skeletons.classes.class_members import read_body, take_inherited
from scaffold.spec.skeletons.classes.class_tables import ClassTables
from scaffold.spec.skeletons.words.names import Names
from scaffold.spec.skeletons.words.notes import Notes


def read_class(node: ast.ClassDef, names: Names, notes: Notes) -> dict[str, Any]:
    """Read the spec tables of a class, and record its faults in `notes`."""
    of_file = list(dict.fromkeys(line for _, line in names.lines))
    valued = class_statements.values_said(node, names) | class_statements.values_below(node, names)
    names = replace(names.within(node.name), valued=valued)
    is_verbatim = says_no_word(node, names)
    tables = ClassTables(node, names, notes, {"name": node.name}, {}, {}, is_verbatim)
    _read_statement(tables)
    read_body(tables)
    tables.raw |= class_statements.read_decorators(node, names, notes)
    take_made(tables)
    take_inherited(tables)
    if is_verbatim:
        _keep_whole(tables)
    _say_of_fields(tables)
    lines = of_file if is_verbatim else _import_lines(tables)
    return tables.raw | ({"imports": lines} if lines else {})


def _read_statement(tables: ClassTables) -> None:
    """Read the class statement: type parameters, bases, keywords, and the resulting kind."""
    node, raw, notes = tables.node, tables.raw, tables.notes
    notes.locations[("name",)] = notes.position(node)
    raw |= class_statements.read_generics(node, tables.names, notes)
    raw |= class_statements.read_bases(node, tables.names, notes)
    raw |= class_statements.read_keywords(node, tables.said_kind, raw.get("bases", []), notes)
    if "kind" not in raw and tables.leaves_open and not tables.is_verbatim:
        raw["kind"] = "abstract"
    tables.names = replace(tables.names, is_abstract=raw.get("kind") == "abstract")
    _refuse_registered_twice(tables)


def _refuse_registered_twice(tables: ClassTables) -> None:
    """Refuse to register a class that its base registers, since jax raises at a second registration."""
    node = tables.node
    if tables.raw.get("kind") in ("module", "pytree") and is_registered(node, tables.names):
        message = f"`{node.name}` is registered by its base, and once more by the file"
        fix = "take out the base, and the class stays word for word; or what registers it, with its methods for that"
        tables.notes.refuse(node, ("name",), message, fix)


def _keep_whole(tables: ClassTables) -> None:
    """Store the source of a class that stays as written."""
    give_roles(tables.fields)
    ours = [decorator for decorator in tables.node.decorator_list if tables.names.word(decorator)]
    tables.raw["source"] = functions.source_of([tables.node], tables.notes, leaving=ours)
    tables.raw.pop("decorators", None)  # they stand there


def _say_of_fields(tables: ClassTables) -> None:
    """Store the fields, the role of given arrays, and the arguments that the words' lambdas need."""
    node, raw = tables.node, tables.raw
    raw |= {"fields": tables.fields} if tables.fields else {}
    trains_given = is_of_equinox(node, tables.names) or tables.is_verbatim
    if tables.fields and trains_given and tables.said_kind != "nnx":
        raw["given"] = "param"  # as Equinox does
    arguments = () if "arguments" in raw else inferred.arguments_of_lambdas(node, tables.names)
    raw |= {"arguments": arguments} if arguments else {}


def _import_lines(tables: ClassTables) -> list[str]:
    """Return the imports that the spec of a generated class must list."""
    return tables.names.imports(tables.kind.imports, "\n".join(types_said(tables.raw)))
