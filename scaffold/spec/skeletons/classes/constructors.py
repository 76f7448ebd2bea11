"""Parse a skeleton's `__init__` or `create` into the keys of a spec.

The arguments are `arguments`. The statements are `setup`, up to the last ones that make the fields.
`self.NAME = EXPRESSION` in an `__init__`, or `return cls(NAME=EXPRESSION)` in a `create`, is the `init` of a
field. A field that equals an argument is given.
"""

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from scaffold.source.definitions import arguments_of, says_nothing
from scaffold.source.expressions import count_name, expression_or_none, local_names, nodes_of
from scaffold.source.instance import assigned_pairs, attribute_of_self, last_name, unassigned
from scaffold.spec.grammar.type_parser import parse_type
from scaffold.spec.grammar.types import CallableType
from scaffold.spec.grammar.values import literal_or_none
from scaffold.spec.skeletons.classes.functions import argument_type, body_of, read_arguments
from scaffold.spec.skeletons.classes.inferred import inferred_types
from scaffold.spec.skeletons.words.names import Names
from scaffold.spec.skeletons.words.notes import Notes

_USUAL = ("key", "dtype", "rngs")


class Constructor:
    """Constructor of a class, with the tables of the class's fields by name."""

    def __init__(
        self, node: ast.FunctionDef, fields: Mapping[str, Mapping[str, Any]], names: Names, notes: Notes
    ):
        self.node, self.fields, self.names, self.notes = node, fields, names, notes
        self.kept, inits = parts_of(node, moves=bool(unmade_fields(node, fields)))
        self.inits = inits or {}
        """Expression of each field that the last statements make."""
        self.is_whole = inits is not None
        types = inferred_types(node, fields, names.classes)
        # The table of a field has its type already.
        self.inferred = {name: kind for name, kind in types.items() if name not in fields}

    @property
    def given(self) -> set[str]:
        """Fields that hold an argument as given."""
        every = {argument.arg for argument in arguments_of(self.node)}
        return {
            name
            for name, value in self.inits.items()
            if _is_given(name, value, every) and name in self.fields
        }

    def read(self) -> dict[str, Any]:
        """Return the keys `arguments`, `constructor_doc`, `setup` and `inits`, and note their locations."""
        node, notes = self.node, self.notes
        every = {argument.arg for argument in arguments_of(node)}
        texts = read_arguments(node, ("arguments",), self.names, notes, every, self.inferred)
        bare = {argument.arg for argument in arguments_of(node) if argument.annotation is None}
        texts = [_without_type(text, bare.intersection(self.fields)) for text in texts]
        notes.locations[("constructor",)] = notes.position(node)
        inits = {name: self.inits[name] for name in self.inits if name not in self.given}
        for statement in self.kept:
            notes.note(("setup",), statement)
        arguments = [self._with_type(_argument(text), inits) for text in texts]
        doc = ast.get_docstring(node) or ""
        notes.keep_doc(("constructor_doc",), node.body[0])
        notes.keep(("constructor_returns",), node.returns)
        # What runs above the fields that are made at the end, word for word.
        setup = "\n".join(body_of(node, run, notes) for run in runs_of(self.kept, node.body))
        return {"arguments": arguments, "constructor_doc": doc, "setup": setup, "inits": inits}

    def comments(self) -> dict[str, str]:
        """Return the comments above and behind each statement that makes a field, by field."""
        ends = (argument.end_lineno or 0 for argument in nodes_of(ast.arg, self.node.args))
        above, texts = max([self.node.lineno, *ends]), dict[str, str]()
        for statement in self.node.body:
            is_kept, end = statement in self.kept, statement.end_lineno or above
            for name in fields_made(statement) if not is_kept else ():
                parts = (self.notes.comment_of(statement, above), self.notes.comment_behind(statement))
                texts |= {name: "\n".join(filter(None, parts))} if any(parts) else {}
                break  # of several at once the first one has them
            above = self.node.end_lineno or end if is_kept else end  # what follows a kept one stands with it
        return texts

    def _with_type(self, text: str, inits: Mapping[str, ast.expr]) -> str:
        """Add the type of a field that an untyped argument makes, as by `jnp.asarray`.

        An untyped argument that is no field gets the type of its default.
        """
        declared, equals, default = text.partition(" = ")
        is_made = declared in inits and declared not in _USUAL
        kind = self.fields.get(declared, {}).get("type") if is_made else None
        if default and declared not in (*self.fields, *_USUAL) and ":" not in declared:
            value = literal_or_none(default)
            kind = type(value).__name__ if type(value) in (bool, int, float, str) else None
        or_none = " | None" if default == "None" else ""
        return f"{declared}: {kind}{or_none}{equals}{default}" if kind else text

    def is_read(self) -> bool:
        """Whether the spec can express the constructor. Any other constructor is kept as written.

        A constructor that ignores its arguments is kept for its signature.
        """
        arguments, owner = self.node.args, "self" if self.node.name == "__init__" else "cls"
        taken = [*arguments.args[1:], *arguments.kwonlyargs]
        return (
            self.is_whole
            and "dtype" not in self.fields  # which is that of all arrays where the tool makes them
            and bool(self.inits or self.kept or not taken)
            and not (arguments.vararg or arguments.kwarg or arguments.posonlyargs)
            and list(map(ast.unparse, self.node.decorator_list)) == ["classmethod"] * (owner == "cls")
            and [argument.arg for argument in arguments.args[:1]] == [owner]
            and all(self._is_known(argument) and self._is_of_field(argument) for argument in taken)
            and not self.made_twice()
            and "key" not in local_names(self.kept)  # of which the tool gives each field a split
            and not any(count_name(ast.unparse(value), "key") > 1 for value in self.inits.values())
            and not any(map(self.notes.has_comment_within, self.inits.values()))
            and not any(_uses_instance(node, owner) for node in (*self.kept, *self.inits.values()))
        )

    def made_twice(self) -> list[str]:
        """Return fields with a default or a state in the class that the constructor makes again."""
        inits = {name: value for name, value in self.inits.items() if not _is_given(name, value, {name})}
        tables = {name: self.fields.get(name, {}) for name in inits}
        states = {name for name, table in tables.items() if "init" in table and table.get("role") == "state"}
        return [name for name, table in tables.items() if "default" in table or name in states]

    def _is_of_field(self, argument: ast.arg) -> bool:
        """Whether an argument has the type of the field that it gives, or a converter changes it."""
        name = argument.arg
        table, text = self.fields.get(name, {}), argument_type(argument, self.names, self.notes)
        is_given = _is_given(name, self.inits.get(name), {name})
        is_stored = table.get("role") not in ("derived", "shared")
        is_free = not (text and is_given and is_stored) or "converter" in table
        return is_free or table.get("type", text) == text

    def _is_known(self, argument: ast.arg) -> bool:
        """Whether an argument is typed, inferred, a field, a dim of a field, or taken by every class."""
        name, kinds = argument.arg, (str(table.get("type")) for table in self.fields.values())
        if argument.annotation is None and _asks_for_type(self.node, name):
            return False  # a union that the code takes apart
        if name in self.inferred:
            return True
        if argument.annotation is not None and name not in _USUAL:
            return bool(argument_type(argument, self.names, self.notes))
        if name in self.fields:  # what another is made of has its type, which has to be one of the grammar
            is_given = _is_given(name, self.inits.get(name), {name})
            return is_given or not str(self.fields[name].get("type")).startswith("=")
        return name in _USUAL or name in re.findall(r"\w+", " ".join(kinds))


def _asks_for_type(node: ast.FunctionDef, name: str) -> bool:
    """Whether a constructor calls `isinstance` on an argument."""
    asked = (
        call.args[0]
        for call in nodes_of(ast.Call, *node.body)
        if last_name(call) == "isinstance" and call.args
    )
    return any(isinstance(each, ast.Name) and each.id == name for each in asked)


def _uses_instance(node: ast.AST, owner: str) -> bool:
    """Whether a part of a constructor reads `self`, calls a base's constructor, or returns."""
    words = {name.id for name in nodes_of(ast.Name, node)}
    return isinstance(node, ast.Return) or bool(words & {"super", *([owner] if owner == "self" else [])})


def _is_given(name: str, value: ast.expr | None, names: set[str]) -> bool:
    return value is None or (isinstance(value, ast.Name) and value.id == name and name in names)


def _without_type(text: str, names: Collection[str]) -> str:
    """Drop the type of an argument in `names`, the fields, since an untyped argument has its field's type."""
    declared, equals, default = text.partition(" = ")
    name = declared.partition(": ")[0]
    return f"{name}{equals}{default}" if name in names and name not in _USUAL else text


def _argument(text: str) -> str:
    """Format an argument as a spec lists it: `key`, `dtype` and `rngs` go without a type."""
    declared, equals, default = text.partition(" = ")
    name, _, kind = declared.partition(": ")
    if name in ("dtype", "rngs"):
        return f"{name} = {default}" if default not in ("", "None") else name
    return name if (name, kind, equals) == ("key", "PRNGKeyArray", "") else text


Parts = tuple[list[ast.stmt], dict[str, ast.expr] | None]
"""Statements of the setup, and the expression of each field, or None if a `create` ends otherwise."""

_READS = {*dir(tuple), *dir(frozenset), "get", "items", "keys", "values"}
_CHANGES = {name for kind in (list, dict, set) for name in dir(kind)} - _READS
"""Methods that change a list, dict or set in place."""


def parts_of(node: ast.FunctionDef, *, moves: bool) -> Parts:
    """Split an `__init__` or a `create` into the setup and the expressions of the fields.

    With `moves`, a statement between field assignments joins the setup if the fields do not depend on it.
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
    """Yield the statements in runs that are adjacent in `body`."""
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
    """Return the fields that have no value after `__init__`, or none if other code may assign fields."""
    made_elsewhere = ("derived", "shared", "state")
    return [
        name
        for name in unassigned(node, fields)
        if "default" not in fields[name] and fields[name].get("role") not in made_elsewhere
    ]


def kept_faults(
    node: ast.FunctionDef, fields: Mapping[str, Mapping[str, Any]], *, is_verbatim: bool
) -> Iterator[tuple[str, str, str]]:
    """Yield the fields without a usable value after a kept `__init__`, each with a message and a fix."""
    kept = "`__init__` is kept as it is, and does not make"
    for name in unmade_fields(node, fields):
        fix = f"assign `self.{name}` there, or let it do no more than assign, so that the tool makes `{name}`"
        yield name, f"{kept} `{name}`", fix
    for name in unassigned(node, fields) if not is_verbatim else ():
        default = str(fields[name].get("default", "")).removeprefix("=")
        if _is_function(default, str(fields[name].get("example", fields[name]["type"]))):
            message = f"{kept} `{name}`, whose default would be a method of the class: it is a function"
            yield name, message, f"assign it there: `self.{name} = {default}`"


def _is_function(default: str, kind: str) -> bool:
    """Whether a default is a lambda or names a callable, so that it would become a method of the class."""
    value = expression_or_none(default)
    is_named = isinstance(value, ast.Name | ast.Attribute) and isinstance(parse_type(kind), CallableType)
    return is_named or isinstance(value, ast.Lambda)


def fields_made(statement: ast.stmt) -> dict[str, ast.expr]:
    """Map the fields that an assignment makes to their expressions. Other statements make no field."""
    pairs = assigned_pairs(statement)
    made = {name: value for target, value in pairs if (name := attribute_of_self(target))}
    return made if len(made) == len(pairs) else {}


def _stays_above(statement: ast.stmt, above: list[ast.stmt]) -> bool:
    """Whether the field assignments above read no name that an assignment binds or changes."""
    if not isinstance(statement, ast.Assign | ast.AnnAssign):
        return False
    touched = {*local_names([statement]), *_changed_objects(statement)}
    read = {name.id for part in above if fields_made(part) for name in nodes_of(ast.Name, part)}
    return touched.isdisjoint(read)


def _changed_objects(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a method call changes: `rows` of `rows.pop()`, and `rngs`, which counts."""
    for call in nodes_of(ast.Call, statement):
        if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
            name = call.func.value.id
            yield from [name] * (name == "rngs" or call.func.attr in _CHANGES)
