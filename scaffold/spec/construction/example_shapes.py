"""The sizes of dims that the example values of arrays show."""

import ast
from collections.abc import Iterator
from typing import Any, cast

from scaffold.spec.construction.constructor import parameters
from scaffold.spec.grammar.types import LARGEST, ArrayType, UnionType
from scaffold.spec.grammar.values import literal_or_none
from scaffold.spec.model import ModuleSpec
from scaffold.spec.source.created_arrays import created_shape
from scaffold.spec.source.expressions import expression_or_none
from scaffold.spec.source.instance import last_name

_ARRAYS = ("array", "asarray")


def shown_by_values(spec: ModuleSpec) -> Iterator[tuple[str, int]]:
    """The sizes of dims that example values of arrays show, where these are literals or say how many numbers jax makes."""
    kinds = {parameter.name: parameter.type for parameter in (*spec.call_arguments, *parameters(spec))}
    for name, source in spec.test.values:
        kind, shape = kinds.get(name), _shape_of(literal_or_none(source)) or _made_shape(source)
        if isinstance(kind, UnionType):
            kind = next((member for member in kind.members if isinstance(member, ArrayType)), None)
        if isinstance(kind, ArrayType) and len(kind.dims) == len(shape):
            yield from ((dim, size) for dim, size in zip(kind.dims, shape, strict=True) if dim.isidentifier())


def _shape_of(value: Any) -> tuple[int, ...]:
    """The shape of nested lists or tuples of numbers; () of anything else."""
    parts = cast("list[Any]", value) if isinstance(value, list | tuple) else []
    return (len(parts), *_shape_of(parts[0])) if parts else ()


def _made_shape(source: str) -> tuple[int, ...]:
    """The shape of `jnp.linspace(0.1, 0.4, 6)`, `jnp.ones((2, 3))` and `jnp.array([[1, 2]])`; () of anything else."""
    call = expression_or_none(source)
    if isinstance(call, ast.Call) and last_name(call) in _ARRAYS and call.args:
        return _shape_of(literal_or_none(ast.unparse(call.args[0])))
    dims = created_shape(call, ast.unparse) if isinstance(call, ast.Call) else None
    return tuple(map(int, dims)) if dims and all(map(is_size, dims)) else ()


def is_size(source: str) -> bool:
    """Whether a text is a size: a whole number above 0."""
    return source.isascii() and source.isdigit() and 0 < int(source) < LARGEST
