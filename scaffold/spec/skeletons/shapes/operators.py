"""Shapes that operators and comparisons imply for their operands."""

import ast
from typing import TYPE_CHECKING

from scaffold.source.expressions import nodes_of, whole_number
from scaffold.spec.skeletons.shapes.algebra.kinds_of_shapes import Parts, Places, Shape
from scaffold.spec.skeletons.shapes.algebra.products import together

if TYPE_CHECKING:
    from scaffold.spec.skeletons.shapes.scope import Scope


def combined(scope: "Scope", node: ast.expr, left: ast.expr, right: ast.expr) -> Shape:
    """Return the result of an operator or a comparison. A tuple times a number is repeated.

    Operands of `&`, `|` and `^` hold whole numbers, unless they are comparisons.
    """
    operands = scope.value(left), scope.value(right)
    count = whole_number(right) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) else None
    if isinstance(operands[0], Parts) and count is not None:
        return Parts(operands[0].shapes * count)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd | ast.BitOr | ast.BitXor):
        pairs = zip((left, right), operands, strict=True)
        scope.shapes.hold_counts(shape for each, shape in pairs if not any(nodes_of(ast.Compare, each)))
    given = together(scope.shapes, *operands)
    return tuple(given) if isinstance(given, Places) else given
