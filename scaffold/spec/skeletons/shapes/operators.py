"""What operators and comparisons say of the arrays between which they stand."""

import ast
from typing import TYPE_CHECKING

from scaffold.source.expressions import nodes_of
from scaffold.spec.skeletons.shapes.algebra.kinds_of_shapes import Shape
from scaffold.spec.skeletons.shapes.algebra.products import together

if TYPE_CHECKING:
    from scaffold.spec.skeletons.shapes.scope import Scope


def combined(scope: "Scope", node: ast.expr, left: ast.expr, right: ast.expr) -> Shape:
    """What an operator or a comparison gives; what it joins bit by bit holds flags, or whole numbers."""
    operands = scope.value(left), scope.value(right)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd | ast.BitOr | ast.BitXor):
        pairs = zip((left, right), operands, strict=True)
        scope.shapes.hold_counts(shape for each, shape in pairs if not any(nodes_of(ast.Compare, each)))
    return together(scope.shapes, *operands)
