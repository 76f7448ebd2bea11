"""Annotations that the grammar does not have, and that stay as they are written."""

import ast

from scaffold.spec.grammar.types import OpaqueType, Type, UnionType


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
