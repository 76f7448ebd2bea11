"""Roles: the default of a type, its legal roles, and the role of given arrays that declare none."""

from collections.abc import Iterable, Mapping
from typing import Any

from scaffold.spec.grammar import types
from scaffold.spec.model import Field
from scaffold.spec.tables.key import ROLES

COMMAND_LINE = "command line"
"""The name in faults of a spec without a file."""
UNTOLD = ""
"""The placeholder for the role of given float arrays that declare none, until the class is known."""
OF_GIVEN = ("param", "data", "buffer")
"""The roles that given float arrays may have."""


def role_of(kind: types.Type, table: Mapping[str, Any]) -> str | None:
    """Return the role that a table declares, or the default, or None if the author must declare a role."""
    if isinstance(said := table.get("role"), str) and said:
        return said
    role, _ = _roles(kind)
    says_more = "role" in table or "init" in table or bool(table.get("frozen"))
    return UNTOLD if role == "param" and not says_more else role


def is_trained(field: Field) -> bool:
    """Whether an optimiser may change any part of the field."""
    return field.role in ("param", "module") and field.frozen != "true"


def given_role(fields: Iterable[Field], usual: str) -> str:
    """Return the role of given float arrays that declare none, or `UNTOLD` if it is unclear.

    `usual` is the role that the kind of class implies, if any.
    """
    # A callable that the class is given need not hold arrays.
    known = (field for field in fields if not (field.given and isinstance(field.type, types.CallableType)))
    trains = any(map(is_trained, known))
    return usual or (UNTOLD if trains else "data")


def legal_roles(kind: types.Type) -> tuple[str, ...]:
    """Return the roles that a field of this type may have, in the order of `ROLES`."""
    of_arrays = ("state", "shared") if isinstance(kind, types.ArrayType) else ()
    legal = {"derived", *_roles(kind)[1], *of_arrays}
    return tuple(role for role in ROLES if role in legal)


def _roles(kind: types.Type) -> tuple[str | None, tuple[str, ...]]:
    """Return the default role of a stored field, or None if there is no default, and the legal roles."""
    match kind:
        case types.ArrayType(inexact=True) | types.TreeType():
            return "param", OF_GIVEN
        case types.ArrayType():
            return "buffer", OF_GIVEN[1:]
        case types.ScalarType(name="float"):
            return None, ("static", "buffer", "data")
        case types.ScalarType(name="int" | "bool"):
            return "static", ("static", "buffer", "data")
        case types.TupleType(items=items) if types.is_traced(kind):
            holds_modules = all(_roles(item)[0] == "module" for item in items)
            return ("module", ("module",)) if holds_modules else (None, ("static",))
        case types.ScalarType() | types.LiteralType() | types.TupleType() | types.SetType():
            return "static", ("static",)
        case types.CallableType():
            return "callable", ("static", "callable", "module")
        case types.OpaqueType(is_array=is_array, holds_arrays=holds_arrays):
            role = "param" if is_array or holds_arrays else None
            return role, (*OF_GIVEN, "static", "callable", "module", "state")
        case types.ClassType(module=module):
            return "module", ("module",) if module is None else ("static", "module")
        case types.ListType(item=item) | types.DictType(item=item):
            return _roles(item)
        case types.UnionType(members=members):
            usual, legal = zip(*map(_roles, members), strict=True)
            common = tuple(role for role in ROLES if all(role in roles for roles in legal))
            return usual[0] if len({*usual}) == 1 else None, common


def without_role(kind: types.Type, legal: tuple[str, ...], text: str) -> tuple[str, str]:
    """Return message and fix for a type without a default role."""
    if isinstance(kind, types.UnionType) and legal == ("derived",):
        return f"`{text}` mixes what is traced with what is static", "write one type"
    if isinstance(kind, types.UnionType):
        return f"`{text}` has no role of its own", f'write `role = "{legal[0]}"`'
    if isinstance(kind, types.OpaqueType | types.TupleType):
        fix = 'write `role = "static"` for what is part of the treedef, `role = "param"` for arrays that are trained, '
        fix += '`role = "data"` for others, `role = "module"` for sub-modules'
        return "nothing says what is stored", fix
    fix = 'a Python float is `role = "static"` (one compilation a value) or an array `f[]` (traced)'
    return "a bare float has no role", fix
