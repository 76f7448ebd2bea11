"""Which role a type has by default, and which it may have."""

from scaffold.spec.keys import ROLES
from scaffold.spec.types import (
    ArrayType,
    CallableType,
    ClassType,
    DictType,
    ListType,
    LiteralType,
    ScalarType,
    TreeType,
    TupleType,
    Type,
    UnionType,
)


def default_role(kind: Type) -> str | None:
    """The role of a field that declares none; None where the author has to say."""
    match kind:
        case ArrayType():
            return "param" if kind.inexact else "buffer"
        case ScalarType(name="float"):
            return None
        case ScalarType() | TupleType() | LiteralType():
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
        case ScalarType(name="str") | LiteralType() | TupleType():
            return ("static",)
        case ScalarType():
            return ("static", "buffer")
        case CallableType():
            return ("callable", "module")
        case ClassType():
            return ("module",)
        case TreeType():
            return ("param", "data", "buffer")
        case ListType(item=item) | DictType(item=item):
            return _stored_roles(item)
        case UnionType(members=members):
            every = [_stored_roles(member) for member in members]
            return tuple(role for role in ROLES if all(role in one for one in every))
