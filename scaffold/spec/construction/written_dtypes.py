"""Dtypes in the expressions that make arrays, such as `jnp.asarray(window, dtype=jnp.float16)`."""

import ast

from msgspec.structs import replace

from scaffold.source.instance import given_as
from scaffold.spec.grammar.dtypes import BY_LONG_NAME, CHOSEN_DTYPES, DEFAULT_DTYPES
from scaffold.spec.grammar.types import ArrayType
from scaffold.spec.model import Field

_OPEN = (*DEFAULT_DTYPES, *CHOSEN_DTYPES)
"""Dtypes of annotations that leave the width of an array open."""
_OF_KIND = {"i": "iu", "c": "c", "f": "fb", "inexact": "fbc"}
"""First letters of the short dtypes for which an open dtype stands."""
_MODULES = ("jnp", "jax.numpy", "np", "numpy", "jax.random")
"""Modules whose functions make arrays of a given dtype."""
_INITIALISERS = "jax.nn.initializers."


def with_written_dtype(array: ArrayType, source: str) -> ArrayType:
    """Replace an open dtype by the dtype of the same kind in an expression: `jnp.zeros(3, jnp.int32)`."""
    if array.dtype not in _OPEN:
        return array
    shorts = dtypes_given(ast.parse(source, mode="eval").body)
    fitting = (short for short in shorts if short[:1] in _OF_KIND[array.dtype] and short[1:])
    return next((replace(array, dtype=short) for short in fitting if short not in _OPEN), array)


def dtypes_given(node: ast.expr) -> list[str]:
    """Return the dtypes in the call that makes an array."""
    shorts = (BY_LONG_NAME.get(_name_of(value), "") for value in _given_to(node))
    return list(filter(None, shorts))


def says_dtype(field: Field) -> bool:
    """Whether the expression that makes the field names the dtype of its array."""
    array, source = field.array, field.expression
    return array is not None and source is not None and with_written_dtype(array, source) is not array


def _given_to(node: ast.expr) -> list[ast.expr]:
    """Return the parts of a call that makes an array, among which its dtype may be."""
    match node:
        case ast.Call(func=ast.Attribute(attr="astype"), args=[dtype, *_]):
            return [dtype]
        case ast.Call(func=function) if _makes_array(function):
            return [function, *given_as(node, "dtype"), *node.args]
        case _:
            return []


def _makes_array(function: ast.expr) -> bool:
    if isinstance(function, ast.Call):
        return ast.unparse(function).startswith(_INITIALISERS)
    return ast.unparse(function).rpartition(".")[0] in _MODULES


def _name_of(node: ast.expr) -> str:
    """Return the name of a dtype: `float16` of `jnp.float16` or of `"float16"`."""
    return str(node.value) if isinstance(node, ast.Constant) else ast.unparse(node).rpartition(".")[2]
