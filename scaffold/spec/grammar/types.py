"""The types of fields, of arguments and of results, as data."""

import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from scaffold.spec.grammar.dtypes import DTYPES

ARRAY_NAMES = ("Array", "ndarray", "NDArray", "JAXArray", "JaxArray")
"""What packages call an array of any shape."""
_ARRAYS = frozenset(ARRAY_NAMES)
_PARTS = _ARRAYS | {
    *("tuple", "list", "dict", "Tuple", "List", "Dict", "Sequence", "Mapping", "Optional"),
    *("int", "float", "bool", "complex", "jax", "jnp", "np", "numpy", "typing", "collections", "abc"),
    *(annotation for annotation, _ in DTYPES.values()),
}
"""The names in the annotation of a container of arrays."""
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

    text: str = "Callable[..., Any]"
    """Its annotation, which may say what it takes and gives."""


class ListType(Struct, frozen=True):
    """A list, stored as a tuple: a list in a field could be changed behind the treedef's back."""

    item: "Type"


class DictType(Struct, frozen=True):
    """A dict with string keys."""

    item: "Type"


class TreeType(Struct, frozen=True):
    """Any pytree of arrays."""

    text: str = "PyTree"
    """Its annotation, which may say what its leaves are."""


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
        """Whether it is an array of which no more is known: `jax.Array`, `Float[Array, "..."]`, and no `tuple[Array, ...]`."""
        array = rf"(jax\.|jnp\.)?({'|'.join(ARRAY_NAMES)})"
        return re.fullmatch(rf"{array}|[\w.]+\[{array}, *['\"].*\]", self.text) is not None

    @property
    def holds_arrays(self) -> bool:
        """Whether it is a container of arrays, and of no more than numbers beside them: `tuple[jax.Array, ...]`."""
        names = self.names
        parts = _PARTS | {"str"} if names & {"dict", "Dict", "Mapping"} else _PARTS  # it is that of the keys
        return not self.is_array and bool(names & _ARRAYS) and names <= parts

    @property
    def may_hold_arrays(self) -> bool:
        """Whether it may be an instance that holds arrays among other things, as a layer does: it is no text, number or container of these."""
        return not (self.is_array or self.holds_arrays or self.names <= _PARTS | {"str", "bytes", "None"})

    @property
    def names(self) -> set[str]:
        """The names in it, outside of texts."""
        return {*re.findall(r"[^\W\d]\w*", re.sub(r"'[^']*'|\"[^\"]*\"", "", self.text))}

    @property
    def may_be_none(self) -> bool:
        """Whether it says that None may stand there: `Array | None`, `Optional[Array]`."""
        return re.fullmatch(r".*\| *None|None *\|.*|([\w.]+\.)?Optional\[.*\]", self.text) is not None

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


def without_none(kind: Type) -> Type:
    """The type without None, where one other is left."""
    if isinstance(kind, UnionType) and kind.optional and len(kind.members) == 1:
        return kind.members[0]
    return kind


def as_stored(kind: Type) -> Type:
    """The type of a field: a `tuple[X, ...]` of what is traced holds what a list of it does, which is stored as a tuple."""
    match kind:
        case TupleType(items=(item,), variadic=True) if is_traced(item):
            return ListType(as_stored(item))
        case ListType(item=item):
            return ListType(as_stored(item))
        case DictType(item=item):
            return DictType(as_stored(item))
        case UnionType(members=members, optional=optional):
            return UnionType(tuple(map(as_stored, members)), optional)
        case _:
            return kind


def is_traced(kind: Type) -> bool:
    """Whether it holds arrays or sub-modules, which no treedef can."""
    return any(isinstance(part, ArrayType | TreeType | ClassType) for part in walk(kind))


def is_tree(kind: Type) -> bool:
    """Whether any pytree of arrays is in it, or a container of arrays of which no more is known."""
    return any(
        isinstance(part, TreeType) or (isinstance(part, OpaqueType) and part.holds_arrays)
        for part in walk(kind)
    )


def members_of(kind: Type) -> "tuple[Type, ...]":
    """The members of a union; any other type alone."""
    return kind.members if isinstance(kind, UnionType) else (kind,)


def first_member(kind: Type | None) -> Type | None:
    """The first member of a union; any other type itself."""
    return None if kind is None else members_of(kind)[0]


def is_array(kind: Type) -> bool:
    """Whether it is one array, of known shape or not."""
    return isinstance(kind, ArrayType) or (isinstance(kind, OpaqueType) and kind.is_array)


def is_mixed(kind: Type) -> bool:
    """Whether something is in it that may hold arrays, and of which no more is known."""
    return any(isinstance(part, OpaqueType) and part.may_hold_arrays for part in walk(kind))


def holds_arrays(kind: Type) -> bool:
    """Whether any array is in it, in sub-modules or in what is not known aside."""
    return bool(arrays(kind)) or is_tree(kind) or is_array(kind)


def is_plain(kind: Type) -> bool:
    """Whether it is of Python alone: no array is in it, nor may be."""
    return not (holds_arrays(kind) or is_mixed(kind))


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


def dims_in(kinds: "Iterable[Type]") -> Iterator[str]:
    """The dims of the arrays in some types, as they are written."""
    return (dim for kind in kinds for array in arrays(kind) for dim in array.dims)


def dim_names(dim: str) -> tuple[str, ...]:
    """The names in a dim, in order: `4*hidden` has `hidden`, `*shape` has `shape`."""
    return tuple(dict.fromkeys(re.findall(r"[A-Za-z_]\w*", dim)))


def with_sizes(dim: str, sizes: Mapping[str, str]) -> str:
    """A dim with sizes for its names; empty where one of these is not known, itself where it reads none of them."""
    if dim in sizes:
        return sizes[dim]
    given = [sizes[name] for name in dim_names(dim) if name in sizes]
    if not all(given) or not given:
        return "" if given else dim
    return re.sub(r"[A-Za-z_]\w*", lambda name: _in_brackets(sizes.get(name[0], name[0])), dim)


def _in_brackets(size: str) -> str:
    return size if re.fullmatch(r"\w+", size) else f"({size})"
