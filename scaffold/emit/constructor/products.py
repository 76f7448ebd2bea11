"""Axes of matrices over which products in a class sum."""

import ast
from functools import lru_cache

from scaffold.source.expressions import dedented
from scaffold.spec.model import ModuleSpec


def summed_axes(spec: ModuleSpec, name: str) -> set[int]:
    """Return the axes of the field that `@` sums over: -1 for `self.weight @ x`, -2 for `x @ self.weight`."""
    bodies = [function.call.body for _, function in spec.functions]
    sources = [*map(dedented, bodies), *(field.expression or "" for field in spec.derived)]
    products = [factors for source in sources if "@" in source for factors in _products(source)]
    from_right = {axis for left, _ in products for axis in _axis(left, name, -1)}
    return from_right | {axis for _, right in products for axis in _axis(right, name, -2)}


@lru_cache(maxsize=64)  # for each of its fields a module asks, and its suite again
def _products(source: str) -> tuple[tuple[ast.expr, ast.expr], ...]:
    """Return both sides of each product with `@`."""
    return tuple(
        (node.left, node.right)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)
    )


def _axis(node: ast.expr, name: str, axis: int) -> set[int]:
    """Return the axis if the factor is the field, or the other axis if it is transposed."""
    match node:
        case ast.Attribute(value=ast.Name(id="self"), attr=attribute) if attribute == name:
            return {axis}
        case ast.Attribute(value=inner, attr="T" | "mT"):
            return _axis(inner, name, -3 - axis)
        case _:
            return set()
