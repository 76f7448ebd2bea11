"""Constructors of skeleton classes: parsed if they only make the fields, or else kept as written."""

import ast
from typing import Any

from scaffold.source.definitions import annotated_names
from scaffold.source.instance import attributes_set, made_attributes
from scaffold.spec.reading.made_variables import makes_variables
from scaffold.spec.skeletons.classes import functions, inferred
from scaffold.spec.skeletons.classes.class_fields import example_of
from scaffold.spec.skeletons.classes.class_tables import ClassTables
from scaffold.spec.skeletons.classes.constructors import Constructor, kept_faults
from scaffold.spec.skeletons.classes.made_roles import roles_of_made


def read_constructor(tables: ClassTables, node: ast.FunctionDef) -> dict[str, Any] | None:
    """Parse a constructor into the tables, or return the table of a constructor that is kept as written."""
    constructor = Constructor(node, tables.fields, tables.names, tables.notes)
    # What subclasses call stays, though it assigns each argument: it may take fewer than there are fields.
    is_own = _makes_more(tables, node) or tables.leaves_open or not constructor.is_read()
    if not tables.kind.variables:
        for name, role in roles_of_made(node, tables.fields, tables.node, is_own=is_own):
            tables.fields[name].setdefault("role", role)
    written = inferred.CONSTRUCTORS[node.name]
    said = tables.raw.get("constructor", written)
    if said != written and not is_own:
        fix = f'remove `constructor="{said}"`, or `{node.name}`'
        tables.notes.refuse(node, ("constructor",), "a class has one constructor", fix)
    tables.raw["constructor"] = written
    if not is_own:
        return _read(tables, constructor)
    return None if _makes_twice(tables, constructor) else _keep(tables, node)


def _makes_more(tables: ClassTables, node: ast.FunctionDef) -> bool:
    """Whether a constructor makes Variables, or fields of a base, which the tables do not have."""
    assigned = {name for name, _ in made_attributes(node)}
    has_base = any(ast.unparse(base) in tables.names.classes for base in tables.node.bases)
    makes_them = tables.kind.variables and makes_variables(node, tables.fields)
    return makes_them or (has_base and not assigned.issubset(tables.fields))


def _makes_twice(tables: ClassTables, constructor: Constructor) -> bool:
    """Whether a state is made in the class and again in the constructor, which is refused."""
    has_state = any(table.get("role") == "state" for table in tables.fields.values())
    twice = constructor.made_twice() if has_state else ()
    for name in twice[:1]:
        message = f"`{name}` is made in the class, and in `{constructor.node.name}`"
        fix = f"leave it out of one of them: `{name}: ... = state()`"
        tables.notes.refuse(constructor.node, ("constructor",), message, fix)
    return bool(twice)


def _keep(tables: ClassTables, node: ast.FunctionDef) -> dict[str, Any]:
    """Read a kept constructor as a method, with types from annotations, fields and code."""
    _refuse_unmade(tables, node)
    _refuse_lost(tables, node)
    kinds = inferred.types_by_use(node, tables.node, tables.names)
    if tables.kind.variables:
        kept = inferred.settings_kept(node, tables.node)
        kinds |= {name: kind for name, kind in kept.items() if kinds.get(name, "").startswith("f[")}
    kinds |= inferred.inferred_types(node, tables.fields, tables.names.classes)
    path = ("methods", node.name)
    table = functions.read_function(node, path, tables.names, tables.notes, [node], kinds)
    return tables.raw.setdefault("methods", {}).setdefault(node.name, table)


def _read(tables: ClassTables, constructor: Constructor) -> None:
    """Move the arguments, the statements and the expressions of the fields into the tables."""
    annotations = dict(annotated_names(tables.node.body))
    for name in constructor.given & annotations.keys():
        tables.fields[name] |= example_of(tables, name, tables.fields[name], annotations[name].annotation)
    keys = constructor.read()
    tables.inits = keys.pop("inits")
    for name, comment in constructor.comments().items():
        if table := tables.fields.get(name):
            table["comment"] = "\n".join(filter(None, (table.get("comment"), comment)))
    tables.raw |= {key: part for key, part in keys.items() if part}


def _refuse_unmade(tables: ClassTables, node: ast.FunctionDef) -> None:
    """Refuse a kept constructor that leaves a field unset, since Equinox complains only at run time."""
    is_of_equinox = tables.said_kind == "module" and "bases" not in tables.raw
    faults = kept_faults(node, tables.fields, is_verbatim=tables.is_verbatim) if is_of_equinox else ()
    for name, message, fix in faults:
        tables.notes.refuse(node, ("fields", name), message, fix)


def _refuse_lost(tables: ClassTables, node: ast.FunctionDef) -> None:
    """Refuse a constructor that stores an attribute without a field, which jax drops at each rebuild."""
    stored = {*(name for name, _ in made_attributes(node)), *attributes_set(node)}
    is_registered = tables.raw.get("kind") == "pytree" and "bases" not in tables.raw
    lost = sorted(stored - tables.fields.keys())
    if lost and is_registered:
        names = ", ".join(f"`{name}`" for name in lost)
        message = (
            f"`{node.name}` stores what is no field, and is lost where jax rebuilds an instance: {names}"
        )
        tables.notes.refuse(node, ("fields",), message, f"declare it: `{lost[0]}: ... = static()`")


def take_made(tables: ClassTables) -> None:
    """Set the `init` of each field to the constructor's expression, which overrides a word's initialiser."""
    for name, value in tables.inits.items():
        path = ("fields", name, "init")
        if name not in tables.fields:
            fix = "declare it in the class, with one `init`"
            tables.notes.refuse(value, path[:2], f"`self.{name}` is no field", fix)
            continue
        tables.notes.note(path, value)
        tables.fields[name].pop("std", None)
        tables.fields[name]["init"] = f"={tables.notes.segment(value)}"
