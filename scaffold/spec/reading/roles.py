"""Which role a type has by default, and which it may have; which a class gives to the arrays that say none."""

from collections.abc import Iterable, Mapping
from typing import Any

from scaffold.spec.grammar.types import (
    ArrayType,
    CallableType,
    ClassType,
    DictType,
    ListType,
    LiteralType,
    OpaqueType,
    ScalarType,
    SetType,
    TreeType,
    TupleType,
    Type,
    UnionType,
)
from scaffold.spec.model import Field
from scaffold.spec.tables.key import ROLES

COMMAND_LINE = "command line"
"""What faults call a spec that no file has."""
UNTOLD = ""
"""Stands for the role of float arrays that are given and say none, until the class is known."""
OF_GIVEN = ("param", "data", "buffer")
"""The roles that float arrays may have which are given."""


def role_of(kind: Type, table: Mapping[str, Any]) -> str | None:
    """The role of a field as its table says it, or by default; None where its author has to say."""
    if isinstance(said := table.get("role"), str) and said:
        return said
    role = default_role(kind)
    says_more = "role" in table or "init" in table or bool(table.get("frozen"))
    return UNTOLD if role == "param" and not says_more else role


def is_trained(field: Field) -> bool:
    """Whether an optimiser may move something of the field."""
    return field.role in ("param", "module") and field.frozen != "true"


def given_role(fields: Iterable[Field], usual: str) -> str:
    """What float arrays are that are given and say nothing; `UNTOLD` where nobody can know. `usual` is what the kind knows."""
    return usual or (UNTOLD if any(map(is_trained, fields)) else "data")


def default_role(kind: Type) -> str | None:
    """The role of a field that declares none; None where the author has to say."""
    match kind:
        case ArrayType():
            return "param" if kind.inexact else "buffer"
        case ScalarType(name="float") | OpaqueType():
            return None
        case ScalarType() | TupleType() | SetType() | LiteralType():
            return "static"
        case CallableType():
            return "callable"
        case ClassType():
            return "module"
        case TreeType():
            return "param"
        case ListType(item=item) | DictType(item=item):
            return default_role(item)
        case UnionType(members=members):
            roles = {default_role(member) for member in members}
            return roles.pop() if len(roles) == 1 else None


def legal_roles(kind: Type) -> tuple[str, ...]:
    """The roles that a field of this type may have, in the order of `ROLES`."""
    of_arrays = ("state", "shared") if isinstance(kind, ArrayType) else ()
    legal = {"derived", *_stored_roles(kind), *of_arrays}
    return tuple(role for role in ROLES if role in legal)


def _stored_roles(kind: Type) -> tuple[str, ...]:
    match kind:
        case ArrayType():
            return ("param", "data", "buffer") if kind.inexact else ("data", "buffer")
        case ScalarType(name="str" | "dtype" | "slice") | LiteralType() | TupleType() | SetType():
            return ("static",)
        case ScalarType():
            return ("static", "buffer")
        case CallableType():
            return ("static", "callable", "module")
        case OpaqueType():
            return ("param", "data", "buffer", "static", "callable", "module")
        case ClassType(module=None):
            return ("module",)
        case ClassType():
            return ("static", "module")
        case TreeType():
            return ("param", "data", "buffer")
        case ListType(item=item) | DictType(item=item):
            return _stored_roles(item)
        case UnionType(members=members):
            every = [_stored_roles(member) for member in members]
            return tuple(role for role in ROLES if all(role in roles for roles in every))


def without_role(kind: Type, legal: tuple[str, ...], text: str) -> tuple[str, str]:
    """What to say of a type that has no role by default."""
    if isinstance(kind, UnionType) and legal == ("derived",):
        return f"`{text}` mixes what is traced with what is static", "write one type"
    if isinstance(kind, UnionType):
        return f"`{text}` has no role of its own", f'write `role = "{legal[0]}"`'
    if isinstance(kind, OpaqueType):
        fix = 'write `role = "static"` for what is part of the treedef, `role = "data"` for what holds arrays'
        return "nothing says what is stored", fix
    fix = 'a Python float is `role = "static"` (one compilation a value) or an array `f[]` (traced)'
    return "a bare float has no role", fix
