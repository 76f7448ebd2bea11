"""The constructor of a skeleton, `__init__` or `create`, to the keys that say the same.

Its arguments are `arguments`. Its statements are `setup`, up to what makes the fields at the end: `self.NAME = EXPRESSION` in an
`__init__`, `return cls(NAME=EXPRESSION)` in a `create`, which are the `init` of these fields. A field that is its argument is given.
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
    """A constructor, which makes the fields of its class, with their tables by name."""

    def __init__(
        self, node: ast.FunctionDef, fields: Mapping[str, Mapping[str, Any]], names: Names, notes: Notes
    ):
        self.node, self.fields, self.names, self.notes = node, fields, names, notes
        self.kept, inits = parts_of(node, moves=bool(unmade_fields(node, fields)))
        self.inits = inits or {}
        """What makes each field that is made at the end."""
        self.is_whole = inits is not None
        types = inferred_types(node, fields, names.classes)
        # What is a field has its type there.
        self.inferred = {name: kind for name, kind in types.items() if name not in fields}

    @property
    def given(self) -> set[str]:
        """The fields that are arguments as they are given."""
        every = {argument.arg for argument in arguments_of(self.node)}
        return {
            name
            for name, value in self.inits.items()
            if _is_given(name, value, every) and name in self.fields
        }

    def read(self) -> dict[str, Any]:
        """Arguments, docstring, the statements above, and the expressions that make fields: `arguments`, `constructor_doc`, `setup`, `inits`."""
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
        """The comments above and behind what makes each field, but for those that stand with other statements."""
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
        """An argument without a type that a field of its name is made of, as by `jnp.asarray`: it has the type of the field.

        One that is no field has the type of its default.
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
        """Whether it takes what the generated one can take, and ends in what makes the fields; any other is carried.

        One that makes nothing of what it takes is kept for its signature.
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
        """The fields that have a default of their own, and that it makes otherwise; in the place of an initialiser it may."""
        inits = {name: value for name, value in self.inits.items() if not _is_given(name, value, {name})}
        tables = {name: self.fields.get(name, {}) for name in inits}
        states = {name for name, table in tables.items() if "init" in table and table.get("role") == "state"}
        return [name for name, table in tables.items() if "default" in table or name in states]

    def _is_of_field(self, argument: ast.arg) -> bool:
        """Whether an argument that a field is given has the type of that field, or is turned into it by a converter."""
        name = argument.arg
        table, text = self.fields.get(name, {}), argument_type(argument, self.names, self.notes)
        is_given = _is_given(name, self.inits.get(name), {name})
        is_stored = table.get("role") not in ("derived", "shared")
        is_free = not (text and is_given and is_stored) or "converter" in table
        return is_free or table.get("type", text) == text

    def _is_known(self, argument: ast.arg) -> bool:
        """Whether an argument has a type of the grammar, or is a field, a dim of one, a size, or what every class takes."""
        name, kinds = argument.arg, (str(table.get("type")) for table in self.fields.values())
        if argument.annotation is None and _asks_for_type(self.node, name):
            return False  # of several types
        if name in self.inferred:
            return True
        if argument.annotation is not None and name not in _USUAL:
            return bool(argument_type(argument, self.names, self.notes))
        if name in self.fields:  # what another is made of has its type, which has to be one of the grammar
            is_given = _is_given(name, self.inits.get(name), {name})
            return is_given or not str(self.fields[name].get("type")).startswith("=")
        return name in _USUAL or name in re.findall(r"\w+", " ".join(kinds))


def _asks_for_type(node: ast.FunctionDef, name: str) -> bool:
    """Whether a constructor asks of which type an argument is."""
    asked = (
        call.args[0]
        for call in nodes_of(ast.Call, *node.body)
        if last_name(call) == "isinstance" and call.args
    )
    return any(isinstance(each, ast.Name) and each.id == name for each in asked)


def _uses_instance(node: ast.AST, owner: str) -> bool:
    """Whether a part of a constructor reads the instance that it makes, or calls the constructor of a base."""
    words = {name.id for name in nodes_of(ast.Name, node)}
    return isinstance(node, ast.Return) or bool(words & {"super", *([owner] if owner == "self" else [])})


def _is_given(name: str, value: ast.expr | None, names: set[str]) -> bool:
    return value is None or (isinstance(value, ast.Name) and value.id == name and name in names)


def _without_type(text: str, names: Collection[str]) -> str:
    """An argument of one of these names, which are fields, without a type that its name alone tells: it has that of the field."""
    declared, equals, default = text.partition(" = ")
    name = declared.partition(": ")[0]
    return f"{name}{equals}{default}" if name in names and name not in _USUAL else text


def _argument(text: str) -> str:
    """An argument as a spec lists it: those that every class has go without a type."""
    declared, equals, default = text.partition(" = ")
    name, _, kind = declared.partition(": ")
    if name in ("dtype", "rngs"):
        return f"{name} = {default}" if default not in ("", "None") else name
    return name if (name, kind, equals) == ("key", "PRNGKeyArray", "") else text


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
    made_elsewhere = ("derived", "shared", "state")
    return [
        name
        for name in unassigned(node, fields)
        if "default" not in fields[name] and fields[name].get("role") not in made_elsewhere
    ]


def kept_faults(
    node: ast.FunctionDef, fields: Mapping[str, Mapping[str, Any]], *, is_verbatim: bool
) -> Iterator[tuple[str, str, str]]:
    """The fields that an `__init__` of the author's leaves without a value of their own, each with a message and a fix."""
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
    """Whether the default of a field is a function: a lambda, or the name of a callable."""
    value = expression_or_none(default)
    is_named = isinstance(value, ast.Name | ast.Attribute) and isinstance(parse_type(kind), CallableType)
    return is_named or isinstance(value, ast.Lambda)


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
