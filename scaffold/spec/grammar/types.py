"""The types of fields, of arguments and of results, as data."""

import re
from collections.abc import Iterator

from msgspec import Struct

CHOSEN_DTYPES = ("f", "inexact")
"""Dtypes that the constructor's `dtype` chooses."""
DEFAULT_DTYPES = {"i": "int", "c": "complex"}
"""Dtypes that are jax's default, by the types of Python that name them."""
LARGEST = 2**31
"""No dim is as large: jax counts in 32 bits by default."""


class ArrayType(Struct, frozen=True):
    """An array: `f[4*hidden,in_size]`. A dim is source text; `*shape` stands for several dims."""

    dtype: str
    dims: tuple[str, ...]

    @property
    def inexact(self) -> bool:
        return self.dtype[0] in "fc" or self.dtype in ("bf16", "inexact")


class ScalarType(Struct, frozen=True):
    """A Python `int`, `bool`, `str` or `float`, a `dtype` of NumPy, or a `slice`."""

    name: str


class TupleType(Struct, frozen=True):
    """`tuple[int, ...]` (variadic) or `tuple[int, str]`."""

    items: "tuple[Type, ...]"
    variadic: bool = False


class SetType(Struct, frozen=True):
    """`frozenset[str]`."""

    item: "Type"


class ClassType(Struct, frozen=True):
    """Another class: a generated one of the same package (`module` is None), or one of another module."""

    name: str
    module: str | None = None


class CallableType(Struct, frozen=True):
    """A function: static where it holds no arrays, a sub-module where it may."""


class ListType(Struct, frozen=True):
    """A list, stored as a tuple: a list in a field could be changed behind the treedef's back."""

    item: "Type"


class DictType(Struct, frozen=True):
    """A dict with string keys."""

    item: "Type"


class TreeType(Struct, frozen=True):
    """Any pytree of arrays."""


class LiteralType(Struct, frozen=True):
    """One of a few constants."""

    values: tuple[str | int | bool, ...]


class UnionType(Struct, frozen=True):
    """One of several types; `optional` says that None is one of them."""

    members: "tuple[Type, ...]"
    optional: bool = False


class OpaqueType(Struct, frozen=True):
    """An annotation that the grammar does not have, and that is kept as it is: `=Callable[[Array], Array]`."""

    text: str

    @property
    def name(self) -> str:
        return self.text

    @property
    def is_array(self) -> bool:
        """Whether it is an array of which no more is known: `jax.Array`, `Float[Array, "..."]`."""
        return re.fullmatch(r"([\w.]+\[)?(jax\.|jnp\.)?(Array|ndarray)\b(, *\S.*\])?", self.text) is not None

    @property
    def module(self) -> str:
        """That it is of no generated class."""
        return "elsewhere"


Type = (
    OpaqueType
    | ArrayType
    | ScalarType
    | TupleType
    | SetType
    | ClassType
    | CallableType
    | ListType
    | DictType
    | TreeType
    | LiteralType
    | UnionType
)


def children(kind: Type) -> "tuple[Type, ...]":
    """The types that `kind` is made of, one level down."""
    match kind:
        case TupleType(items=items):
            return items
        case ListType(item=item) | DictType(item=item) | SetType(item=item):
            return (item,)
        case UnionType(members=members):
            return members
        case _:
            return ()


def walk(kind: Type) -> "Iterator[Type]":
    """`kind` and every type in it."""
    yield kind
    for child in children(kind):
        yield from walk(child)


def arrays(kind: Type) -> tuple[ArrayType, ...]:
    """Every array type in `kind`, in order."""
    return tuple(part for part in walk(kind) if isinstance(part, ArrayType))


def dim_names(dim: str) -> tuple[str, ...]:
    """The names in a dim, in order: `4*hidden` has `hidden`, `*shape` has `shape`."""
    return tuple(dict.fromkeys(re.findall(r"[A-Za-z_]\w*", dim)))
