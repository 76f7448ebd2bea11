"""Annotations outside the grammar, which stay as they are written."""

import ast
import builtins
from collections.abc import Sequence

from scaffold.source.instance import last_name
from scaffold.spec.grammar.types import OpaqueType, Type, UnionType
from scaffold.spec.names import is_read


def kept_annotation(node: ast.expr, annotation: str) -> Type:
    """Return the type of an annotation that stays as written. Only `Array | None` is an optional type."""
    inner = without_none(node)
    kind = OpaqueType(ast.unparse(inner))
    may_be_none = inner is not node and kind.is_array
    return UnionType((kind,), optional=True) if may_be_none else OpaqueType(annotation)


def without_none(node: ast.expr) -> ast.expr:
    """Return `X` for `X | None`, `Optional[X]` and `X or None`, and any other annotation unchanged."""
    match node:
        case ast.BinOp(left=left, op=ast.BitOr(), right=ast.Constant(value=None)):
            return left
        case ast.BoolOp(op=ast.Or(), values=[left, ast.Constant(value=None)]):
            return left  # which is all that `X or None` is, whatever its author meant
        case ast.Subscript(value=head, slice=inner) if last_name(head) == "Optional":
            return inner
        case _:
            return node


def members_of(node: ast.expr) -> list[ast.expr]:
    """Return the members of a union annotation, such as `float` and `jax.Array` of `float | jax.Array`."""
    match node:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return [*members_of(left), *members_of(right)]
        case ast.Subscript(value=head, slice=ast.Tuple(elts=parts)) if last_name(head) == "Union":
            return [member for part in parts for member in members_of(part)]
        case _ if (inner := without_none(node)) is not node:
            return [*members_of(inner), ast.Constant(None)]
        case _:
            return [node]


def is_of_words(items: Sequence[ast.expr]) -> bool:
    """Whether parts of an annotation read only builtins and known imports, as any module can."""
    names = (node.id for item in items for node in ast.walk(item) if isinstance(node, ast.Name))
    return all(hasattr(builtins, name) or is_read(name) for name in names)


def has_dims(items: Sequence[ast.expr]) -> bool:
    """Whether parts of an annotation name dims, whose meaning is in the signature around them."""
    nodes = (node for item in items for node in ast.walk(item))
    dims = (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return any(dim.strip() not in ("", "...") for dim in dims)
