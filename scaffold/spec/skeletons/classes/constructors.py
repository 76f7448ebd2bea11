"""The constructor of a skeleton, `__init__` or `create`, to the keys that say the same.

Its arguments are `arguments`. Its statements are `setup`, up to what makes the fields at the end: `self.NAME = EXPRESSION` in an
`__init__`, `return cls(NAME=EXPRESSION)` in a `create`, which are the `init` of these fields. A field that is its argument is given.
"""

import ast
import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from scaffold.spec.grammar.values import literal_or_none
from scaffold.spec.skeletons.classes.functions import argument_type, body_of, read_arguments
from scaffold.spec.skeletons.classes.inferred import inferred_types
from scaffold.spec.skeletons.words.names import Names
from scaffold.spec.skeletons.words.notes import Notes
from scaffold.spec.source.definitions import says_nothing
from scaffold.spec.source.instance import assigned_pairs, attribute_of_self

_USUAL = ("key", "dtype", "rngs")
CONSTRUCTORS = {"__init__": "init", "create": "factory"}


class Constructor(Struct, frozen=True):
    """What a constructor says."""

    arguments: list[str]
    setup: str
    inits: dict[str, ast.expr]
    """What makes each field that is made at the end."""


def read_constructor(
    node: ast.FunctionDef, fields: Mapping[str, Mapping[str, Any]], names: Names, notes: Notes
) -> Constructor:
    """The arguments, the statements and what makes the fields."""
    every = {argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)}
    texts = read_arguments(node, ("arguments",), names, notes, every, _inferred(node, fields, names))
    notes.locations[("constructor",)] = notes.position(node)
    kept, made = _parts(node)
    inits = {name: value for name, value in (made or {}).items() if not _is_given(name, value, every)}
    for statement in kept:
        notes.note(("setup",), statement)
    texts = [_with_type_of_field(_argument(text), inits, fields) for text in texts]
    return Constructor(texts, body_of(node, kept, notes), inits)


def _with_type_of_field(
    text: str, inits: Mapping[str, ast.expr], fields: Mapping[str, Mapping[str, Any]]
) -> str:
    """An argument without a type that a field of its name is made of, as by `jnp.asarray`: it has the type of the field.

    One that is no field has the type of its default.
    """
    declared, equals, default = text.partition(" = ")
    kind = fields.get(declared, {}).get("type") if declared in inits else None
    if default and declared not in (*fields, *_USUAL) and ":" not in declared:
        value = literal_or_none(default)
        kind = type(value).__name__ if type(value) in (bool, int, float, str) else None
    or_none = " | None" if default == "None" else ""
    return f"{declared}: {kind}{or_none}{equals}{default}" if kind else text


def is_read(
    node: ast.FunctionDef, fields: Mapping[str, Mapping[str, Any]], names: Names, notes: Notes
) -> bool:
    """Whether a constructor takes what the generated one can take, and ends in what makes the fields; any other is carried."""
    arguments, owner = node.args, _owner(node)
    decorators = [] if owner == "self" else ["classmethod"]
    taken = [*arguments.args[1:], *arguments.kwonlyargs]
    kept, inits = _parts(node)
    if inits is None:
        return False
    inferred = _inferred(node, fields, names)
    given_fields = {name: table for name, table in fields.items() if _is_given(name, inits.get(name), {name})}
    return (
        not (arguments.vararg or arguments.kwarg or arguments.posonlyargs)
        and [ast.unparse(decorator) for decorator in node.decorator_list] == decorators
        and [argument.arg for argument in arguments.args[:1]] == [owner]
        and all(argument.arg in inferred or _is_known(argument, fields, names, notes) for argument in taken)
        and all(_is_of_field(argument, given_fields, names, notes) for argument in taken)
        and not any(_is_made_twice(name, value, fields) for name, value in inits.items())
        and not any(_uses_instance(node, owner) for node in (*kept, *inits.values()))
    )


def _inferred(node: ast.FunctionDef, fields: Mapping[str, Mapping[str, Any]], names: Names) -> dict[str, str]:
    """The types of sizes and keys without annotations; what is a field has its type there."""
    types = inferred_types(node, fields, names.classes)
    return {name: kind for name, kind in types.items() if name not in fields}


def made_twice(node: ast.FunctionDef, fields: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The fields that have a default of their own, and that a constructor makes otherwise."""
    _, inits = _parts(node)
    return [name for name, value in (inits or {}).items() if _is_made_twice(name, value, fields)]


def _is_of_field(
    argument: ast.arg, given_fields: Mapping[str, Mapping[str, Any]], names: Names, notes: Notes
) -> bool:
    """Whether an argument that a field is given has the type of that field, or is turned into it by a converter."""
    table = given_fields.get(argument.arg, {})
    text = argument_type(argument, names, notes)
    is_stored = table.get("role") not in ("derived", "shared")
    return not text or "converter" in table or not is_stored or table.get("type", text) == text


def _is_known(argument: ast.arg, fields: Mapping[str, Mapping[str, Any]], names: Names, notes: Notes) -> bool:
    """Whether an argument has a type of the grammar, or is a field, a dim of one, or what every class takes."""
    if argument.annotation is not None and argument.arg not in _USUAL:
        return bool(argument_type(argument, names, notes))
    types = " ".join(str(table.get("type")) for table in fields.values())
    return argument.arg in (*fields, *_USUAL) or argument.arg in re.findall(r"\w+", types)


def _is_made_twice(name: str, value: ast.expr, fields: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether a field has a default of its own, and a constructor that makes it otherwise; in the place of an initialiser it may."""
    is_given = isinstance(value, ast.Name) and value.id == name
    table = fields.get(name, {})
    return not is_given and ("default" in table or ("init" in table and table.get("role") == "state"))


def _uses_instance(node: ast.AST, owner: str) -> bool:
    """Whether a part of a constructor reads the instance that it makes, or calls the constructor of a base."""
    words = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    return isinstance(node, ast.Return) or bool(words & {"super", *([owner] if owner == "self" else [])})


def _owner(node: ast.FunctionDef) -> str:
    return "self" if node.name == "__init__" else "cls"


def _argument(text: str) -> str:
    """An argument as a spec lists it: those that every class has go without a type."""
    declared, equals, default = text.partition(" = ")
    name, _, kind = declared.partition(": ")
    if name in ("dtype", "rngs"):
        return f"{name} = {default}" if default not in ("", "None") else name
    return name if (name, kind, equals) == ("key", "PRNGKeyArray", "") else text


def _is_given(name: str, value: ast.expr | None, names: set[str]) -> bool:
    return value is None or (isinstance(value, ast.Name) and value.id == name and name in names)


def _parts(node: ast.FunctionDef) -> tuple[list[ast.stmt], dict[str, ast.expr] | None]:
    """The statements above those that make fields at the end, and what makes each; None of a `create` that ends otherwise."""
    statements = [statement for statement in node.body if not says_nothing(statement)]
    if node.name == "create" and statements:
        match statements.pop():
            case ast.Return(value=ast.Call(func=ast.Name(id="cls"), args=[], keywords=keywords)):
                return statements, {keyword.arg or "**": keyword.value for keyword in keywords}
            case _:
                return statements, None
    inits: dict[str, ast.expr] = {}
    while statements:
        pairs = assigned_pairs(statements[-1])
        assigned = {name: value for target, value in pairs if (name := attribute_of_self(target))}
        if not assigned or len(assigned) < len(pairs) or not inits.keys().isdisjoint(assigned):
            break
        inits = {**assigned, **inits}
        statements.pop()
    return statements, inits
