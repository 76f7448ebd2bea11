"""Shapes of elementwise operations and products of two arrays."""

import ast
import re
from collections import defaultdict

from scaffold.spec.skeletons.shapes.algebra.kinds_of_shapes import Parts, Shape, Unknown
from scaffold.spec.skeletons.shapes.algebra.unknown_shapes import Shapes

_EQUATION = r"(\.\.\.)?[A-Za-z]*(,(\.\.\.)?[A-Za-z]*)*->(\.\.\.)?[A-Za-z]*"
FIELD = "self."
"""Prefix of the names of fields."""


def together(shapes: Shapes, left: Shape, right: Shape) -> Shape:
    """Return the shape of an elementwise operation, and learn unknown operands by broadcasting."""
    left_dims, right_dims = shapes.known(left), shapes.known(right)
    shapes.computes([left, right])
    if isinstance(left, Parts) or isinstance(right, Parts):
        return None  # tuples that are joined
    if left is None or right is None or () in (left_dims, right_dims):
        return left if left_dims != () else right
    if left_dims is None or right_dims is None:
        unknown, known = (left, right) if left_dims is None else (right, left)
        shapes.equate(unknown, _widened(shapes, known, is_field=_is_field(unknown)))
        return left if len(shapes.known(left) or ()) >= len(shapes.known(right) or ()) else right
    axes = max(len(left_dims), len(right_dims))
    left_dims, right_dims = (("1",) * (axes - len(dims)) + dims for dims in (left_dims, right_dims))
    shapes.learn(left_dims, right_dims)
    return tuple(
        second if first == "1" else first for first, second in zip(left_dims, right_dims, strict=True)
    )


def _widened(shapes: Shapes, shape: Shape, *, is_field: bool) -> Shape:
    """Return the shape of an unknown operand beside `shape`, with any size beside an axis of size 1.

    A field has no rows, since rows come from the arguments of a method.
    """
    dims = shapes.known(shape)
    if not dims or not {"1", *shapes.rows}.intersection(dims):
        return shape
    held = [dim for dim in dims if not (is_field and dim in shapes.rows)]
    return tuple(shapes.new() if dim == "1" else dim for dim in held)


def product(shapes: Shapes, left: Shape, right: Shape) -> Shape:
    """Return the shape of `left @ right`, and learn both operands."""
    _learn_product(shapes, left, right)
    left_dims, right_dims = shapes.known(left), shapes.known(right)
    if not left_dims or not right_dims:
        return None
    is_matrix = len(right_dims) > 1
    shapes.learn((left_dims[-1],), (right_dims[-2 if is_matrix else -1],))
    return (*left_dims[:-1], *right_dims[:-2], right_dims[-1]) if is_matrix else left_dims[:-1]


def contracted(shapes: Shapes, equation: ast.expr, operands: list[Shape]) -> Shape:
    """Return the shape of `jnp.einsum("sn,tbn->tbs", ...)`, and learn its operands.

    If no operand has further axes, `...` stands for none.
    """
    text = equation.value if isinstance(equation, ast.Constant) else None
    if not isinstance(text, str) or not re.fullmatch(_EQUATION, text.replace(" ", "")):
        return None
    taken, _, given = text.replace(" ", "").partition("->")
    sizes = defaultdict[str, str](shapes.new)
    lead: tuple[str, ...] | None = None
    for shape, axes in zip(operands, taken.split(","), strict=False):
        letters = tuple(sizes[letter] for letter in axes.removeprefix("..."))
        known = shapes.known(shape)
        is_open = axes.startswith("...") and known is not None and len(known) >= len(letters)
        if is_open and known and letters:
            lead = known[: -len(letters)]
        shapes.learn(known[-len(letters) :] if is_open and known and letters else shape, letters)
    if "..." in given and lead is None:
        return None
    return (*(lead or ()), *(sizes[letter] for letter in given.removeprefix("...")))


def _learn_product(shapes: Shapes, left: Shape, right: Shape) -> None:
    """Learn unknown operands of `left @ right`: a matrix for a field, else the axes that code reads."""
    left_dims, right_dims = shapes.known(left), shapes.known(right)
    if left_dims is None and right_dims is None and _is_field(left) and _is_field(right):
        shapes.unclear |= {shape.name for shape in (left, right) if isinstance(shape, Unknown)}
        return  # two matrices, or a matrix and a vector
    if left_dims is None and isinstance(left, Unknown) and right is not None:
        is_matrix = _is_field(left) and not (right_dims and len(right_dims) > 1)
        axes = max(shapes.axes_read.get(left.name, 1), 1 + is_matrix)
        rows = tuple(shapes.new() for _ in range(axes - 1))
        shapes.rows |= {*rows} if not _is_field(left) else set[str]()
        shapes.learn(left, (*rows, (right_dims or (shapes.new(),))[0]))
    if right_dims is None and isinstance(right, Unknown) and left is not None:
        inner = (shapes.known(left) or (shapes.new(),))[-1]
        axes = max(shapes.axes_read.get(right.name, 1), 1 + _is_field(right))
        shapes.learn(right, (inner, shapes.new()) if axes > 1 else (inner,))


def _is_field(shape: Shape) -> bool:
    return isinstance(shape, Unknown) and shape.name.startswith(FIELD)
