"""Types as a skeleton writes them: the annotations of jaxtyping and of Python."""

from scaffold.spec.expressions import syntax_fault
from scaffold.spec.synonyms import DTYPES
from scaffold.spec.types import (
    ArrayType,
    CallableType,
    ClassType,
    DictType,
    ListType,
    LiteralType,
    ScalarType,
    SetType,
    TreeType,
    TupleType,
    Type,
    UnionType,
    walk,
)


def annotation(kind: Type, own: str = "") -> str:
    """The annotation of a type; in quotes where it names the class itself, which is not bound there yet."""
    text = _plain(kind)
    return repr(text) if ClassType(own) in walk(kind) else text


def _plain(kind: Type) -> str:
    match kind:
        case ArrayType():
            return _array(kind)
        case ScalarType(name="dtype"):
            return "np.dtype"
        case SetType(item=item):
            return f"frozenset[{_plain(item)}]"
        case ScalarType(name=name) | ClassType(name=name):
            return name
        case TupleType(items=items, variadic=variadic):
            return f"tuple[{', '.join([*map(_plain, items), *(['...'] if variadic else [])])}]"
        case ListType(item=item):
            return f"list[{_plain(item)}]"
        case DictType(item=item):
            return f"dict[str, {_plain(item)}]"
        case CallableType():
            return "Callable[..., Any]"
        case TreeType():
            return "PyTree"
        case LiteralType(values=values):
            return f"Literal[{', '.join(map(repr, values))}]"
        case UnionType(members=members, optional=optional):
            return " | ".join([*map(_plain, members), *(["None"] if optional else [])])


def _array(kind: ArrayType) -> str:
    if kind.dtype == "key" and not kind.dims:
        return "PRNGKeyArray"
    shape = " ".join(kind.dims)
    # Linters take `size` and `3 *shape` for forward references; a leading space prevents that.
    is_expression = bool(shape) and syntax_fault(shape, expression=True) is None
    return f'{DTYPES[kind.dtype][0]}[Array, "{" " * is_expression}{shape}"]'


def result(kinds: tuple[Type, ...], several: bool, own: str) -> str:
    """The annotation of a result; one tuple is in quotes, since without them it is several results."""
    if several:
        return annotation(TupleType(kinds), own)
    is_tuple = isinstance(kinds[0], TupleType) and not kinds[0].variadic
    return repr(_plain(kinds[0])) if is_tuple else annotation(kinds[0], own)
