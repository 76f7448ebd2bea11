"""The dims of the arrays that an author's own constructor makes, by the arguments that it makes them of."""

import ast
from collections.abc import Iterator

from scaffold.spec.grammar.types import ArrayType, ScalarType
from scaffold.spec.model import ModuleSpec
from scaffold.spec.source.expressions import dedented


def dims_of_arguments(spec: ModuleSpec) -> dict[str, str]:
    """By dim the argument of the constructor that is its size: `in_features` for `in_` of `f[out, in_]`, made as `(out_features, in_features)`."""
    own = spec.own_constructor
    if own is None or not own.call.source:
        return {}
    names = {argument.name for argument in own.call.args if argument.type == ScalarType("int")}
    pairs = ((dim, size) for dim, size in _pairs(spec, ast.parse(dedented(own.call.source))))
    return {dim: size for dim, size in pairs if size in names and dim != size}


def _pairs(spec: ModuleSpec, tree: ast.AST) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=value):
                field = spec.field(name)
                if field is not None and isinstance(field.type, ArrayType):
                    yield from _dims_in(field.type.dims, value)
            case _:
                pass


def _dims_in(dims: tuple[str, ...], value: ast.expr) -> Iterator[tuple[str, str]]:
    """The dims beside the names in a shape of as many, as in `jnp.zeros((n, m))` and `jnp.zeros(n)`."""
    for call in (node for node in ast.walk(value) if isinstance(node, ast.Call)):
        for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
            sizes = argument.elts if isinstance(argument, ast.Tuple | ast.List) else [argument]
            if len(sizes) == len(dims) and all(isinstance(size, ast.Name) for size in sizes):
                yield from zip(dims, (size.id for size in sizes if isinstance(size, ast.Name)), strict=True)
