"""The constructor of a skeleton, `__init__` or `create`, to the keys that say the same.

Its arguments are `arguments`. Its statements are `setup`, up to what makes the fields at the end: `self.NAME = EXPRESSION` in an
`__init__`, `return cls(NAME=EXPRESSION)` in a `create`, which are the `init` of these fields. A field that is its argument is given.
"""

import ast
from dataclasses import dataclass, field

from scaffold.spec.skeletons.methods import body_of, read_arguments
from scaffold.spec.skeletons.names import Names
from scaffold.spec.skeletons.notes import Notes

CONSTRUCTORS = {"__init__": "init", "create": "factory"}


@dataclass(frozen=True)
class Constructor:
    """What a constructor says."""

    arguments: list[str]
    setup: str
    inits: dict[str, ast.expr]
    """What makes each field that is made at the end."""
    foreign: tuple[str, ...] = field(default=())


def read_constructor(node: ast.FunctionDef, names: Names, notes: Notes) -> Constructor:
    """The arguments, the statements and what makes the fields."""
    owner = "self" if node.name == "__init__" else "cls"
    wanted = [] if owner == "self" else ["classmethod"]
    if [ast.unparse(one) for one in node.decorator_list] != wanted:
        fix = f"write `@classmethod` above `{node.name}`, and no other" if wanted else "remove it"
        notes.refuse(node, ("constructor",), f"`{node.name}` has other decorators than it may have", fix)
    texts, foreign = read_arguments(node, ("arguments",), names, notes, owner=owner)
    notes.positions[("constructor",)] = notes.position(node)
    statements = [one for one in node.body if not _says_nothing(one)]
    made, inits = _made(statements, owner)
    given = {one.arg for one in (*node.args.args, *node.args.kwonlyargs)}
    inits = {name: value for name, value in inits.items() if not _is_given(name, value, given)}
    kept = statements[: len(statements) - made]
    for statement in kept:
        notes.note(("setup",), statement)
    return Constructor([_argument(text) for text in texts], body_of(node, kept, notes), inits, foreign)


def _argument(text: str) -> str:
    """An argument as a spec lists it: those that every class has go without a type."""
    name, _, annotation = text.partition(":")
    kind, _, default = annotation.partition("=")
    if name in ("dtype", "rngs"):
        said = default.strip()
        return f"{name} = {said}" if said not in ("", "None") else name
    return name if (name, kind.strip(), default) == ("key", "PRNGKeyArray", "") else text


def _is_given(name: str, value: ast.expr, given: set[str]) -> bool:
    return isinstance(value, ast.Name) and value.id == name and name in given


def _says_nothing(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


def _made(statements: list[ast.stmt], owner: str) -> tuple[int, dict[str, ast.expr]]:
    """How many of the last statements make fields, and what makes each."""
    inits: dict[str, ast.expr] = {}
    if owner == "cls":
        match statements[-1:]:
            case [ast.Return(value=ast.Call(func=ast.Name(id="cls"), args=[], keywords=keywords))]:
                return 1, {one.arg or "**": one.value for one in keywords}
            case _:
                return 0, inits
    for statement in reversed(statements):
        match statement:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=value) if (
                name not in inits
            ):
                inits = {name: value, **inits}
            case _:
                break
    return len(inits), inits
