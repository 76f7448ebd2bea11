"""Type parameters of a skeleton: `T = TypeVar("T")` beside the class and `Generic[T]` among its bases, or `class Box[T](Module)`."""

import ast
from collections.abc import Iterable, Iterator

from scaffold.spec.skeletons.words.annotations import type_of
from scaffold.spec.skeletons.words.names import Names
from scaffold.spec.skeletons.words.notes import Notes

_MAKERS = ("typing.TypeVar", "typing_extensions.TypeVar")
_GENERIC = ("typing.Generic", "typing_extensions.Generic")


def type_variables(body: Iterable[ast.stmt], names: Names) -> dict[str, ast.stmt]:
    """The statements that bind type variables, by name."""
    found = ((_bound(one, names), one) for one in body)
    return {name: one for name, one in found if name}


def _bound(statement: ast.stmt, names: Names) -> str:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=maker)) if (
            names.of(maker) in _MAKERS
        ):
            return name
        case _:
            return ""


def listed(base: ast.expr, names: Names) -> list[ast.expr] | None:
    """The parts of `Generic[T, S]`; None of another base."""
    if not (isinstance(base, ast.Subscript) and names.of(base.value) in _GENERIC):
        return None
    return base.slice.elts if isinstance(base.slice, ast.Tuple) else [base.slice]


def understood(base: ast.expr, names: Names) -> bool:
    """Whether a base is `Generic[...]` over type variables of the file that are a name and a bound."""
    parts = listed(base, names) or ()
    found = [names.variables.get(ast.unparse(part)) for part in parts]
    return bool(found) and all(one is not None and _is_simple(one, names) for one in found)


def _is_simple(statement: ast.stmt, names: Names) -> bool:
    """Whether a statement makes a type variable `T` of a name and a bound that is a class."""
    call = statement.value if isinstance(statement, ast.Assign) else None
    if not isinstance(call, ast.Call) or len(call.args) != 1:
        return False
    is_named = ast.unparse(call.args[0]).strip("'\"")[:1].isupper()
    return is_named and all(one.arg == "bound" and names.of(one.value) for one in call.keywords)


def from_bases(bases: Iterable[ast.expr], names: Names, notes: Notes) -> Iterator[str]:
    """The type parameters that `Generic[...]` lists, each with its bound."""
    for base in (one for one in bases if understood(one, names)):
        for part in listed(base, names) or ():
            notes.note(("generic",), part)
            yield _with_bound(names.variables[ast.unparse(part)], names, notes)


def _with_bound(variable: ast.stmt, names: Names, notes: Notes) -> str:
    assert isinstance(variable, ast.Assign) and isinstance(variable.value, ast.Call)
    bounds = (one.value for one in variable.value.keywords)
    return ": ".join([ast.unparse(variable.targets[0]), *(type_of(one, names, notes) for one in bounds)])


def used_variables(classes: Iterable[ast.ClassDef], names: Names) -> set[str]:
    """The type variables that become type parameters of a class; the others are carried."""
    bases = (base for node in classes for base in node.bases if understood(base, names))
    return {ast.unparse(part) for base in bases for part in listed(base, names) or ()}


def from_syntax(node: ast.ClassDef, names: Names, notes: Notes) -> Iterator[str]:
    """The type parameters of `class Box[T: Bound]`, which Python has from 3.12 on."""
    found: list[ast.AST] = getattr(node, "type_params", [])
    for one in found:
        notes.note(("generic",), one)
        name, bound = str(getattr(one, "name", "")), getattr(one, "bound", None)
        yield ": ".join([name, *([type_of(bound, names, notes)] if isinstance(bound, ast.expr) else [])])
