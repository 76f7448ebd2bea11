"""Types as text: what to write in the place of one that cannot be read, or has no role, and how one is written."""

import re
from collections.abc import Callable

from scaffold.errors import suggestion
from scaffold.spec.grammar.synonyms import DTYPES
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

SimpleType = ArrayType | ScalarType | ClassType | CallableType | TreeType | OpaqueType
"""The types that hold no others."""


def type_fix(text: str) -> str:
    """What to write in the place of `text`."""
    head = re.split(r"[\[(]", text)[0].strip()
    if not text.isascii():
        odd = next(letter for letter in text if not letter.isascii())
        return f"write ASCII letters: `{odd}` is none"
    if head in DTYPES and "[" in text:
        return f"write dims such as `{head}[4*hidden,in_size]`, with at most one `*shape`"
    if head in _FORMS:
        return f"write `{_FORMS[head]}`"
    return suggestion(head, _WORDS, "write one of the legal types, such as `f[out_size,in_size]`")


_FORMS = {
    "list": "list[f[size]]",
    "dict": "dict[str, f[size]]",
    "tuple": "tuple[int, ...]",
    "frozenset": "frozenset[str]",
    "Literal": 'Literal["a", "b"]',
    "Callable": "callable",
    "None": "TYPE | None",
}
_WORDS = (
    "callable",
    "tree",
    "list",
    "dict",
    "tuple",
    "frozenset",
    "dtype",
    "slice",
    "int",
    "bool",
    "str",
    "float",
    "Literal",
)


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


def composed(kind: Type, simple: Callable[[SimpleType], str]) -> str:
    """The type as text, each part that holds no other as `simple` writes it."""
    match kind:
        case TupleType(items=items, variadic=variadic):
            parts = [composed(item, simple) for item in items]
            return f"tuple[{', '.join([*parts, *(['...'] if variadic else [])])}]"
        case ListType(item=item):
            return f"list[{composed(item, simple)}]"
        case SetType(item=item):
            return f"frozenset[{composed(item, simple)}]"
        case DictType(item=item):
            return f"dict[str, {composed(item, simple)}]"
        case LiteralType(values=values):
            return f"Literal[{', '.join(map(repr, values))}]"
        case UnionType(members=members, optional=optional):
            parts = [composed(member, simple) for member in members]
            return " | ".join([*parts, *(["None"] if optional else [])])
        case _:
            return simple(kind)


def type_text(kind: Type) -> str:
    """The type as an author writes it."""
    return composed(kind, _simple)


def _simple(kind: SimpleType) -> str:
    match kind:
        case ArrayType(dtype=dtype, dims=dims):
            return f"{dtype}[{','.join(dims)}]"
        case ScalarType(name=name) | ClassType(name=name, module=None):
            return name
        case OpaqueType(text=text):
            return f"={text}"
        case ClassType(name=name, module=module):
            return f"{module}:{name.rpartition('.')[2]}"
        case CallableType():
            return "callable"
        case TreeType():
            return "tree"
