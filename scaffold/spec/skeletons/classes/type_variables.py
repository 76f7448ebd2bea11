"""Type parameters of a skeleton: `T = TypeVar("T")` beside the class and `Generic[T]` among its bases, or `class Box[T](Module)`."""

import ast
from collections.abc import Iterable, Iterator

from scaffold.spec.skeletons.words.annotations import type_of
from scaffold.spec.skeletons.words.names import Names
from scaffold.spec.skeletons.words.notes import Notes
from scaffold.spec.source.expressions import elements_of

_MAKERS = ("typing.TypeVar", "typing_extensions.TypeVar")
_GENERIC = ("typing.Generic", "typing_extensions.Generic")


def type_variables(body: Iterable[ast.stmt], names: Names) -> dict[str, ast.stmt]:
    """The statements that bind type variables `T` of a name and a bound that is a class, by name."""
    pairs = ((_bound(statement, names), statement) for statement in body)
    return {name: statement for name, statement in pairs if name}


def _bound(statement: ast.stmt, names: Names) -> str:
    match statement:
        case ast.Assign(
            targets=[ast.Name(id=name)], value=ast.Call(func=maker, args=[said], keywords=keywords)
        ) if names.of(maker) in _MAKERS:
            is_named = ast.unparse(said).strip("'\"")[:1].isupper()
            is_simple = all(keyword.arg == "bound" and names.of(keyword.value) for keyword in keywords)
            return name if is_named and is_simple else ""
        case _:
            return ""


def listed(base: ast.expr, names: Names) -> list[ast.expr]:
    """The parts of `Generic[T, S]`; none of another base."""
    if not (isinstance(base, ast.Subscript) and names.of(base.value) in _GENERIC):
        return []
    return elements_of(base.slice)


def understood(base: ast.expr, names: Names) -> bool:
    """Whether a base is `Generic[...]` over type variables of the file."""
    parts = listed(base, names)
    return bool(parts) and all(ast.unparse(part) in names.variables for part in parts)


def from_bases(bases: Iterable[ast.expr], names: Names, notes: Notes) -> Iterator[str]:
    """The type parameters that `Generic[...]` lists, each with its bound."""
    for base in (base for base in bases if understood(base, names)):
        for part in listed(base, names):
            notes.note(("generic",), part)
            yield _with_bound(names.variables[ast.unparse(part)], names, notes)


def _with_bound(variable: ast.stmt, names: Names, notes: Notes) -> str:
    assert isinstance(variable, ast.Assign) and isinstance(variable.value, ast.Call)
    bounds = (keyword.value for keyword in variable.value.keywords)
    return ": ".join([ast.unparse(variable.targets[0]), *(type_of(bound, names, notes) for bound in bounds)])


def used_variables(classes: Iterable[ast.ClassDef], names: Names) -> set[str]:
    """The type variables that become type parameters of a class; the others are carried."""
    bases = (base for node in classes for base in node.bases if understood(base, names))
    return {ast.unparse(part) for base in bases for part in listed(base, names)}


def from_syntax(node: ast.ClassDef, names: Names, notes: Notes) -> Iterator[str]:
    """The type parameters of `class Box[T: Bound]`, which Python has from 3.12 on."""
    parameters: list[ast.AST] = getattr(node, "type_params", [])
    for parameter in parameters:
        notes.note(("generic",), parameter)
        name, bound = str(getattr(parameter, "name", "")), getattr(parameter, "bound", None)
        yield ": ".join([name, *([type_of(bound, names, notes)] if isinstance(bound, ast.expr) else [])])
