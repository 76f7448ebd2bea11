"""Types as text: in the notation of specs, and as annotations of jaxtyping and Python."""

from collections.abc import Callable

from scaffold.source.expressions import syntax_fault
from scaffold.spec.grammar import types
from scaffold.spec.grammar.dtypes import DTYPES

SimpleType = (
    types.ArrayType
    | types.ScalarType
    | types.ClassType
    | types.CallableType
    | types.TreeType
    | types.OpaqueType
)
"""Types that contain no other types."""


def composed(kind: types.Type, simple: Callable[[SimpleType], str]) -> str:
    """Write a type as text, in which `simple` writes each part that holds no other type."""
    match kind:
        case types.TupleType(items=items, variadic=variadic):
            parts = [composed(item, simple) for item in items]
            return f"tuple[{', '.join([*parts, *(['...'] if variadic else [])])}]"
        case types.ListType(item=item):
            return f"list[{composed(item, simple)}]"
        case types.SetType(item=item):
            return f"frozenset[{composed(item, simple)}]"
        case types.DictType(item=item):
            return f"dict[str, {composed(item, simple)}]"
        case types.LiteralType(values=values):
            return f"Literal[{', '.join(map(repr, values))}]"
        case types.UnionType(members=members, optional=optional):
            parts = [composed(member, simple) for member in members]
            return " | ".join([*parts, *(["None"] if optional else [])])
        case _:
            return simple(kind)


def type_text(kind: types.Type) -> str:
    """Write a type in the notation of specs."""
    return composed(kind, _simple)


def _simple(kind: SimpleType) -> str:
    match kind:
        case types.ArrayType(dtype=dtype, dims=dims):
            return f"{dtype}[{','.join(dims)}]"
        case types.ScalarType(name=name) | types.ClassType(name=name, module=None):
            return name
        case types.OpaqueType(text=text):
            return f"={text}"
        case types.ClassType(name=name, module=module):
            return f"{module}:{name.rpartition('.')[2]}"
        case types.CallableType():
            return "callable"
        case types.TreeType():
            return "tree"


def annotation(kind: types.Type, class_name: str = "") -> str:
    """Write the annotation of a type, in quotes if it names the class itself, which is not bound yet."""
    text = composed(kind, _as_annotation)
    return repr(text) if types.ClassType(class_name) in types.walk(kind) else text


def _as_annotation(kind: SimpleType) -> str:
    match kind:
        case types.ArrayType():
            return _array(kind)
        case types.ScalarType(name="dtype"):
            return "np.dtype"
        case types.ScalarType(name=name) | types.ClassType(name=name):
            return name
        case types.OpaqueType(text=text) | types.CallableType(text=text) | types.TreeType(text=text):
            return text


def _array(kind: types.ArrayType) -> str:
    if kind.dtype == "key" and not kind.dims:
        return "PRNGKeyArray"
    shape = " ".join(kind.dims)
    # Linters take `size` and `3 *shape` for forward references; a leading space prevents that.
    is_expression = bool(shape) and syntax_fault(shape, expression=True) is None
    return f'{DTYPES[kind.dtype][0]}[Array, "{" " * is_expression}{shape}"]'


def result(kinds: tuple[types.Type, ...], several: bool, class_name: str) -> str:
    """Write the annotation of a result.

    A single tuple is in quotes, because a tuple without quotes means several results.
    """
    if several:
        return annotation(types.TupleType(kinds), class_name)
    is_tuple = isinstance(kinds[0], types.TupleType) and not kinds[0].variadic
    return repr(annotation(kinds[0])) if is_tuple else annotation(kinds[0], class_name)
