"""Annotations that the grammar does not have, and that stay as they are written."""

import ast
import builtins
from collections.abc import Sequence

from scaffold.spec.grammar.types import OpaqueType, Type, UnionType
from scaffold.spec.names import is_read


def kept_annotation(node: ast.expr, annotation: str) -> Type:
    """An annotation that is kept; an array of any shape may be left out, as others are."""
    match node:
        case ast.BinOp(left=inner, op=ast.BitOr(), right=ast.Constant(value=None)):
            kind = OpaqueType(ast.unparse(inner))
        case ast.Subscript(value=ast.Name(id="Optional") | ast.Attribute(attr="Optional"), slice=inner):
            kind = OpaqueType(ast.unparse(inner))
        case _:
            return OpaqueType(annotation)
    return UnionType((kind,), optional=True) if kind.is_array else OpaqueType(annotation)


def is_of_words(items: Sequence[ast.expr]) -> bool:
    """Whether parts of an annotation name arrays and builtins alone, which any module can, and no dims.

    A dim would be that of the signature around it.
    """
    nodes = [node for item in items for node in ast.walk(item)]
    dims = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    names = [node.id for node in nodes if isinstance(node, ast.Name)]
    return all(dim.strip() in ("", "...") for dim in dims) and all(
        hasattr(builtins, name) or is_read(name) for name in names
    )
