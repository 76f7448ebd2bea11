"""The types of fields, of arguments and of results, as data."""

import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from scaffold.spec.grammar.dtypes import DTYPES

ARRAY_NAMES = ("Array", "ndarray", "NDArray", "JAXArray", "JaxArray")
"""Names of packages for an array of any shape."""
_ARRAYS = frozenset(ARRAY_NAMES)
_PARTS = _ARRAYS | {
    *("tuple", "list", "dict", "Tuple", "List", "Dict", "Sequence", "Mapping", "Optional"),
    *("int", "float", "bool", "complex", "jax", "jnp", "np", "numpy", "typing", "collections", "abc"),
    *(annotation for annotation, _ in DTYPES.values()),
}
"""The names in the annotation of a container of arrays."""
LARGEST = 2**31
"""An upper bound that no dim reaches, since jax counts in 32 bits by default."""


class ArrayType(Struct, frozen=True):
    """An array, such as `f[4*hidden,in_size]`. A dim is source text, and `*shape` stands for several dims."""

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
    """A generated class of the same package if `module` is None, else a class of that module."""

    name: str
    module: str | None = None


class CallableType(Struct, frozen=True):
    """A function, which is static if it holds no arrays, and a sub-module if it may hold some."""

    text: str = "Callable[..., Any]"
    """The annotation, which may say what the function takes and returns."""


class ListType(Struct, frozen=True):
    """A list, stored as a tuple: a list in a field could be changed behind the treedef's back."""

    item: "Type"


class DictType(Struct, frozen=True):
    """A dict with string keys."""

    item: "Type"


class TreeType(Struct, frozen=True):
    """Any pytree of arrays."""

    text: str = "PyTree"
    """The annotation, which may say what the leaves are."""


class LiteralType(Struct, frozen=True):
    """A choice among a few constants."""

    values: tuple[str | int | bool, ...]


class UnionType(Struct, frozen=True):
    """A choice among several types, and None if `optional`."""

    members: "tuple[Type, ...]"
    optional: bool = False


class OpaqueType(Struct, frozen=True):
    """An annotation outside the grammar that stays as written: `=Callable[[Array], Array]`."""

    text: str

    @property
    def name(self) -> str:
        return self.text

    @property
    def is_array(self) -> bool:
        """Whether this is an array of unknown shape or dtype: `jax.Array`, `Float[Array, "..."]`."""
        array = rf"(jax\.|jnp\.)?({'|'.join(ARRAY_NAMES)})"
        return re.fullmatch(rf"{array}|[\w.]+\[{array}, *['\"].*\]", self.text) is not None

    @property
    def holds_arrays(self) -> bool:
        """Whether this is a container of arrays, and of numbers at most: `tuple[jax.Array, ...]`."""
        names = self.names
        parts = _PARTS | {"str"} if names & {"dict", "Dict", "Mapping"} else _PARTS  # it is that of the keys
        return not self.is_array and bool(names & _ARRAYS) and names <= parts

    @property
    def may_hold_arrays(self) -> bool:
        """Whether an instance may hold arrays among other things, as a layer does.

        Arrays, containers of arrays, and text or numbers are excluded.
        """
        return not (self.is_array or self.holds_arrays or self.names <= _PARTS | {"str", "bytes", "None"})

    @property
    def names(self) -> set[str]:
        """The names in the annotation, outside of quotes."""
        return {*re.findall(r"[^\W\d]\w*", re.sub(r"'[^']*'|\"[^\"]*\"", "", self.text))}

    @property
    def may_be_none(self) -> bool:
        """Whether the annotation allows None: `Array | None`, `Optional[Array]`."""
        return re.fullmatch(r".*\| *None|None *\|.*|([\w.]+\.)?Optional\[.*\]", self.text) is not None

    @property
    def module(self) -> str:
        """A name other than None, so that no caller takes this for a generated class."""
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
    """Return the type without None, if exactly one member remains."""
    if isinstance(kind, UnionType) and kind.optional and len(kind.members) == 1:
        return kind.members[0]
    return kind


def as_stored(kind: Type) -> Type:
    """Return the type of a field, in which a `tuple[X, ...]` of traced parts is a list.

    Both hold the same, because a list is stored as a tuple.
    """
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
    """Whether a type contains arrays or sub-modules, which no treedef can hold."""
    return any(isinstance(part, ArrayType | TreeType | ClassType) for part in walk(kind))


def is_tree(kind: Type) -> bool:
    """Whether a type contains any pytree of arrays, or an opaque container of arrays."""
    return any(
        isinstance(part, TreeType) or (isinstance(part, OpaqueType) and part.holds_arrays)
        for part in walk(kind)
    )


def members_of(kind: Type) -> "tuple[Type, ...]":
    """Return the members of a union, or any other type alone."""
    return kind.members if isinstance(kind, UnionType) else (kind,)


def first_member(kind: Type | None) -> Type | None:
    """Return the first member of a union, or any other type itself."""
    return None if kind is None else members_of(kind)[0]


def is_array(kind: Type) -> bool:
    """Whether a type is one array, of known shape or not."""
    return isinstance(kind, ArrayType) or (isinstance(kind, OpaqueType) and kind.is_array)


def is_mixed(kind: Type) -> bool:
    """Whether a type contains an opaque part that may hold arrays."""
    return any(isinstance(part, OpaqueType) and part.may_hold_arrays for part in walk(kind))


def holds_arrays(kind: Type) -> bool:
    """Whether a type contains arrays, apart from sub-modules and from opaque parts that only may."""
    return bool(arrays(kind)) or is_tree(kind) or is_array(kind)


def is_plain(kind: Type) -> bool:
    """Whether a type is of Python alone, without arrays and without parts that may hold arrays."""
    return not (holds_arrays(kind) or is_mixed(kind))


def children(kind: Type) -> "tuple[Type, ...]":
    """Return the types that `kind` is made of, one level down."""
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
    """Yield `kind` and every type in it."""
    yield kind
    for child in children(kind):
        yield from walk(child)


def arrays(kind: Type) -> tuple[ArrayType, ...]:
    """Return every array type in `kind`, in order."""
    return tuple(part for part in walk(kind) if isinstance(part, ArrayType))


def dims_in(kinds: "Iterable[Type]") -> Iterator[str]:
    """Yield the dims of the arrays in some types, as they are written."""
    return (dim for kind in kinds for array in arrays(kind) for dim in array.dims)


def dim_names(dim: str) -> tuple[str, ...]:
    """Return the names in a dim, in order: `hidden` of `4*hidden`, `shape` of `*shape`."""
    return tuple(dict.fromkeys(re.findall(r"[A-Za-z_]\w*", dim)))


def with_sizes(dim: str, sizes: Mapping[str, str]) -> str:
    """Substitute sizes for the names in a dim.

    The result is empty if a size is empty. A dim that reads no name of `sizes` is unchanged.
    """
    if dim in sizes:
        return sizes[dim]
    given = [sizes[name] for name in dim_names(dim) if name in sizes]
    if not all(given) or not given:
        return "" if given else dim
    return re.sub(r"[A-Za-z_]\w*", lambda name: _in_brackets(sizes.get(name[0], name[0])), dim)


def _in_brackets(size: str) -> str:
    return size if re.fullmatch(r"\w+", size) else f"({size})"
