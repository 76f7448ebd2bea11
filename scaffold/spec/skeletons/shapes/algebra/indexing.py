"""What is left of the axes of an array that is indexed, or transposed."""

import ast
import math
from collections.abc import Sequence

from scaffold.source.expressions import whole_number
from scaffold.source.lists import literal_slice
from scaffold.spec.skeletons.shapes.algebra.kinds_of_shapes import Dims, Shape, Unknown
from scaffold.spec.skeletons.shapes.algebra.unknown_shapes import Shapes


def axes_of_index(index: Sequence[ast.expr]) -> int:
    """How many axes an index says; -1 where `...` stands for some."""
    texts = [ast.unparse(part) for part in index]
    return -1 if "..." in texts else len(texts) - texts.count("None")


def indexed(dims: Dims, index: Sequence[ast.expr], shapes: Shapes) -> Dims | None:
    """The dims that are left: all of `:`, none of a number, another of a part; None where an array is the index."""
    left, rest = list[str](), list(dims)
    for part in index:
        match part:
            case ast.Constant(value=None):
                left.append("1")
                continue
            case _ if _is_whole(part):
                left.append(rest[0])
            case ast.Slice(step=None) if rest[0].isdigit() and (ends := literal_slice(part)) is not None:
                left.append(str(len(range(int(rest[0]))[ends])))
            case ast.Slice(upper=upper):
                end = whole_number(upper) or 0
                shapes.read_until(rest[0], end if end > 0 else math.inf)
                left.append(shapes.new())
            case ast.Constant(value=int(place)):
                shapes.read_until(rest[0], place + 1)
            case ast.UnaryOp(operand=ast.Constant()):
                pass
            case _:
                return None
        rest.pop(0)
    return (*left, *rest)


def _is_whole(part: ast.expr) -> bool:
    """Whether an index is `:`."""
    return isinstance(part, ast.Slice) and not (part.lower or part.upper or part.step)


def part_of(shapes: Shapes, shape: Shape, index: Sequence[ast.expr], places: Sequence[Shape]) -> Shape:
    """What `shape[index]` has; an index of several axes says how many there are. `places` are arrays among the indices."""
    if [ast.unparse(part) for part in index] in (["..."], []):
        return shape  # `x[()]` is all of it, too
    axes = axes_of_index(index)
    if len(index) == 1 and isinstance(index[0], ast.Constant) and isinstance(index[0].value, int):
        return shapes.row(shape)
    if shapes.known(shape) is None and (axes > 1 or (axes == 1 and len(index) > 1)):
        shapes.learn(shape, tuple(shapes.new() for _ in range(axes)))
    dims, gathered = shapes.known(shape), shapes.known(places[0])
    takes_rows = all(_is_whole(part) for part in index[1:])
    if dims and gathered and takes_rows:
        return (*gathered, *dims[1:])
    if isinstance(shape, Unknown) and takes_rows and isinstance(places[0], Unknown):
        return shapes.rows_at(shape, places[0])
    if isinstance(shape, Unknown):
        shapes.unclear.add(shape.name)
    return indexed(dims, index, shapes) if dims is not None and 0 <= axes <= len(dims) else None


def without_index(array: ast.expr) -> ast.expr:
    """The array of which an expression takes a part, or gives it more axes: `labels` of `labels[:, None]`."""
    return without_index(array.value) if isinstance(array, ast.Subscript) else array


def transposed(shapes: Shapes, shape: Shape) -> Shape:
    """What `x.T` has; of an array of which nothing is known it says that it has two axes."""
    if shapes.known(shape) is None:
        shapes.learn(shape, (shapes.new(), shapes.new()))
    dims = shapes.known(shape)
    return None if dims is None else dims[::-1]


def updated_part(function: ast.expr) -> ast.Subscript | None:
    """The part of an array that `x.at[index].set` updates, as `x[index]`."""
    match function:
        case ast.Attribute(value=ast.Subscript(value=ast.Attribute(value=array, attr="at"), slice=index)):
            return ast.Subscript(array, index, ast.Load())
        case _:
            return None
