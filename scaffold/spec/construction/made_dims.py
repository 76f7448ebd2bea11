"""The dims of the arrays that an author's constructor makes, by the arguments that it makes them of."""

import ast
from collections.abc import Iterator

from scaffold.spec.grammar.types import ArrayType, ScalarType
from scaffold.spec.model import ModuleSpec
from scaffold.spec.source.instance import made_attributes


def dims_of_arguments(spec: ModuleSpec) -> dict[str, str]:
    """By dim the argument of the constructor that is its size: `in_features` for `in_` of `f[out, in_]`, made as `(out_features, in_features)`."""
    own = spec.own_constructor
    arguments = own.call.args if own is not None else spec.arguments
    names = {argument.name for argument in arguments if argument.type == ScalarType("int")}
    if not names:
        return {}
    pairs = (pair for name, value in _made(spec) for pair in _dims_of(spec, name, value))
    return {dim: size for dim, size in pairs if size in names and dim not in names}


def _made(spec: ModuleSpec) -> Iterator[tuple[str, ast.expr]]:
    """The fields that the constructor makes, and what it makes each of."""
    own = spec.own_constructor
    if own is None:
        made = ((field.name, field.expression) for field in spec.stored if field.expression)
        yield from ((name, ast.parse(source, mode="eval").body) for name, source in made)
        return
    yield from made_attributes(own.call.source)


def _dims_of(spec: ModuleSpec, name: str, value: ast.expr) -> Iterator[tuple[str, str]]:
    field = spec.field(name)
    if field is not None and isinstance(field.type, ArrayType):
        yield from _dims_in(field.type.dims, value)


def _dims_in(dims: tuple[str, ...], value: ast.expr) -> Iterator[tuple[str, str]]:
    """The dims beside the names in a shape of as many, as in `jnp.zeros((n, m))` and `jnp.zeros(n)`."""
    for call in (node for node in ast.walk(value) if isinstance(node, ast.Call)):
        for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
            sizes = argument.elts if isinstance(argument, ast.Tuple | ast.List) else [argument]
            if len(sizes) == len(dims) and all(isinstance(size, ast.Name) for size in sizes):
                yield from zip(dims, (size.id for size in sizes if isinstance(size, ast.Name)), strict=True)
