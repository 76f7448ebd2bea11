"""Types as a skeleton writes them: the annotations of jaxtyping and of Python."""

from scaffold.spec.grammar.synonyms import DTYPES
from scaffold.spec.grammar.type_texts import SimpleType, composed
from scaffold.spec.grammar.types import (
    ArrayType,
    CallableType,
    ClassType,
    OpaqueType,
    ScalarType,
    TreeType,
    TupleType,
    Type,
    walk,
)
from scaffold.spec.source.expressions import syntax_fault


def annotation(kind: Type, own: str = "") -> str:
    """The annotation of a type; in quotes where it names the class itself, which is not bound there yet."""
    text = composed(kind, _simple)
    return repr(text) if ClassType(own) in walk(kind) else text


def _simple(kind: SimpleType) -> str:
    match kind:
        case ArrayType():
            return _array(kind)
        case ScalarType(name="dtype"):
            return "np.dtype"
        case ScalarType(name=name) | ClassType(name=name):
            return name
        case CallableType():
            return "Callable[..., Any]"
        case TreeType():
            return "PyTree"
        case OpaqueType(text=text):
            return text


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
    return repr(annotation(kinds[0])) if is_tuple else annotation(kinds[0], own)
