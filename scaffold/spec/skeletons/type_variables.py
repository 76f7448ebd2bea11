"""Type parameters of a skeleton: `T = TypeVar("T")` beside the class and `Generic[T]` among its bases, or `class Box[T](Module)`."""

import ast
from collections.abc import Iterable, Iterator

from scaffold.spec.skeletons.annotations import type_of
from scaffold.spec.skeletons.names import Names
from scaffold.spec.skeletons.notes import Notes

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


def from_bases(bases: Iterable[ast.expr], names: Names, notes: Notes) -> Iterator[str]:
    """The type parameters that `Generic[...]` lists, each with its bound."""
    for base in bases:
        for part in listed(base, names) or ():
            notes.note(("generic",), part)
            variable = names.variables.get(ast.unparse(part))
            if variable is None:
                fix = f'write `{ast.unparse(part)} = TypeVar("{ast.unparse(part)}")` above the class'
                notes.refuse(
                    part, ("generic",), f"`{ast.unparse(part)}` is no type variable of the file", fix
                )
            else:
                yield _with_bound(variable, names, notes)


def _with_bound(variable: ast.stmt, names: Names, notes: Notes) -> str:
    assert isinstance(variable, ast.Assign) and isinstance(variable.value, ast.Call)
    name, call = ast.unparse(variable.targets[0]), variable.value
    bounds = [one.value for one in call.keywords if one.arg == "bound"]
    if len(call.args) != 1 or len(bounds) != len(call.keywords):
        fix = "write its name, and `bound=...` where it has one"
        notes.refuse(variable, ("generic",), f"`{name}` is more than a name and a bound", fix)
    return ": ".join([name, *(type_of(one, names, notes)[0] for one in bounds)])


def from_syntax(node: ast.ClassDef, names: Names, notes: Notes) -> Iterator[str]:
    """The type parameters of `class Box[T: Bound]`, which Python has from 3.12 on."""
    found: list[ast.AST] = getattr(node, "type_params", [])
    for one in found:
        notes.note(("generic",), one)
        name, bound = str(getattr(one, "name", "")), getattr(one, "bound", None)
        yield ": ".join([name, *([type_of(bound, names, notes)[0]] if isinstance(bound, ast.expr) else [])])
