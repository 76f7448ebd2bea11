"""Conversion of `init` expressions to arrays of the declared dtype that no other object holds."""

import ast

from scaffold.emit.constructor.chosen_dtype import with_dtype
from scaffold.emit.constructor.source import parsed
from scaffold.passes.static_storage import is_simple
from scaffold.source.expressions import local_values, nodes_of
from scaffold.source.instance import last_name
from scaffold.spec.construction.constructor import constructor_names, parameters
from scaffold.spec.construction.written_dtypes import with_written_dtype
from scaffold.spec.grammar.dtypes import BY_LONG_NAME
from scaffold.spec.grammar.initialisers import dtype_source
from scaffold.spec.grammar.types import ArrayType, ScalarType
from scaffold.spec.model import Field, ModuleSpec

_MAKERS = frozenset(
    (
        *("array", "arange", "linspace", "logspace", "geomspace", "zeros", "ones", "empty", "eye"),
        *("identity", "zeros_like", "ones_like", "stack", "outer", "kron"),
        *("exp", "log", "log1p", "expm1", "sqrt", "square", "sin", "cos", "tan", "sinh", "cosh", "tanh"),
    )
)
"""Functions of jax.numpy that always return a new array. `concatenate` of a single array does not."""
_HANDED_ON = frozenset(
    (
        *("asarray", "astype", "reshape", "ravel", "squeeze", "broadcast_to", "transpose", "swapaxes"),
        *("moveaxis", "atleast_1d", "atleast_2d", "real", "stop_gradient", "device_put"),
    )
)
"""Functions that may return their argument."""
_AS_ARRAY = "jnp.asarray("
_ROOMS = ("jax.random", "math", "jnp.fft", "jnp.linalg")
"""Modules whose functions return new values."""
_NUMBERS = ("float", "int", "complex", "len", "sum", "bool")


def is_new(node: ast.expr) -> bool:
    """Whether the value surely contains no array that another object holds."""
    match node:
        case ast.Attribute(value=ast.Name(id="math")):
            return True
        case ast.Attribute(value=ast.Call(func=layer)):
            return ast.unparse(layer).startswith("eqx.nn.")
        case ast.Call(func=ast.Attribute(value=ast.Subscript(value=ast.Attribute(attr="at")))):
            return True  # an update of another
        case ast.Constant() | ast.BinOp() | ast.UnaryOp(op=ast.USub()):
            return True
        case ast.IfExp(body=body, orelse=orelse):
            return is_new(body) and is_new(orelse)
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Dict(values=items):
            return all(map(is_new, items))
        case ast.ListComp(elt=item) | ast.GeneratorExp(elt=item) | ast.DictComp(value=item):
            return is_new(item)
        case ast.Call(func=ast.Call(func=maker)):
            return ast.unparse(maker).startswith("jax.nn.initializers.")
        case ast.Call(func=ast.Attribute(attr="full"), args=[_, value, *_]):
            return is_new(value)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="jnp"), attr=name), args=[value]) if (
            name in BY_LONG_NAME
        ):
            return is_new(value)
        case ast.Call(func=function):
            module, _, name = ast.unparse(function).rpartition(".")
            is_maker = module in ("jnp", "np") and name in _MAKERS
            return is_maker or module in _ROOMS or (not module and name in _NUMBERS)
        case _:
            return False


def makes_new_arrays(node: ast.expr) -> bool:
    """Whether the value only consists of new arrays of jax."""
    makers = [ast.unparse(call.func) for call in nodes_of(ast.Call, node)]
    return bool(makers) and is_new(node) and not any(maker.startswith("np.") for maker in makers)


def array_source(spec: ModuleSpec, field: Field, array: ArrayType, source: str) -> str:
    """Return the value of an array field with an expression."""
    is_real = array.inexact and array.dtype[0] != "c"
    if is_real and not _names_dtype(parsed(source)) and with_written_dtype(array, source) is array:
        chosen = with_dtype(source, dtype_source(array), _numbers(spec))
        if chosen is not None:
            return chosen
    return _of_array(source, array, nullable=field.nullable, local=_free_local(spec))


def _numbers(spec: ModuleSpec) -> frozenset[str]:
    """Return the constructor's arguments that are Python numbers."""
    kinds = (ScalarType("int"), ScalarType("float"))
    return frozenset(parameter.name for parameter in parameters(spec) if parameter.type in kinds)


def array_as_made(spec: ModuleSpec, source: str) -> str:
    """Return the value of an expression for an array whose annotation leaves the dtype open."""
    node = parsed(source)
    made = dict(local_values(spec.setup)).get(source, node)
    if is_new(made) and any(nodes_of(ast.Call, made)):
        return source
    if isinstance(node, ast.Call) and last_name(node)[:1].isupper():
        return source  # a layer, whatever the annotation says
    if isinstance(node, ast.Constant):  # without a dtype it would be weakly typed
        return f"jnp.array({source}, {type(node.value).__name__})"
    if is_simple(source):
        return f"jnp.array({source}, jnp.result_type({source}))"
    local = _free_local(spec)
    return f"jnp.array({local} := {source}, jnp.result_type({local}))"


def _of_array(source: str, array: ArrayType, *, nullable: bool, local: str) -> str:
    node = parsed(source)
    if array.dtype == "key":
        return source if is_new(node) or not _hands_on(node) else f"jnp.array({source})"
    if isinstance(node, ast.IfExp) and nullable:
        parts = (ast.get_source_segment(source, part) or "" for part in (node.body, node.orelse))
        body, orelse = (_of_array(part, array, nullable=True, local=local) for part in parts)
        return f"{body} if {ast.get_source_segment(source, node.test)} else {orelse}"
    if source == "None" or (_names_dtype(node) and not _hands_on(node)):
        return source
    written = with_written_dtype(array, source)
    if written is not array and source.startswith(_AS_ARRAY):
        return source.replace(_AS_ARRAY, "jnp.array(", 1)
    dtype = dtype_source(written)
    casts = isinstance(node, ast.Call) and ast.unparse(node.func) == dtype
    if is_new(node) and (casts or written is not array):
        return source
    if is_new(node):
        return f"jnp.asarray({source}, {dtype})"
    if not nullable:
        return f"jnp.array({source}, {dtype})"
    if is_simple(source):
        return f"None if {source} is None else jnp.array({source}, {dtype})"
    return f"None if ({local} := {source}) is None else jnp.array({local}, {dtype})"


def _names_dtype(node: ast.expr) -> bool:
    return any(isinstance(part, ast.Name) and part.id == "dtype" for part in ast.walk(node))


def _hands_on(node: ast.expr) -> bool:
    """Whether the value may be an array that another object holds."""
    match node:
        case ast.Name() | ast.Attribute() | ast.Subscript():
            return True
        case ast.IfExp(body=body, orelse=orelse):
            return _hands_on(body) or _hands_on(orelse)
        case ast.Call(func=function):
            return ast.unparse(function).rpartition(".")[2] in _HANDED_ON
        case _:
            return False


def _free_local(spec: ModuleSpec) -> str:
    """Return a name for an intermediate value that is free in the constructor."""
    taken = constructor_names(spec) | {field.name for field in spec.fields}
    return next(name for name in ("made", "value", "made_here", f"made_{spec.name}") if name not in taken)
