"""Shapes of indexed and transposed arrays."""

import ast
import math
from collections.abc import Sequence

from scaffold.source.expressions import whole_number
from scaffold.source.lists import literal_slice
from scaffold.spec.skeletons.shapes.algebra.kinds_of_shapes import Dims, Parts, Places, Record, Shape, Unknown
from scaffold.spec.skeletons.shapes.algebra.unknown_shapes import Shapes


def axes_of_index(index: Sequence[ast.expr]) -> int:
    """Count the axes that an index covers, or return -1 if `...` covers some."""
    texts = [ast.unparse(part) for part in index]
    return -1 if "..." in texts else len(texts) - texts.count("None")


def indexed(dims: Dims, index: Sequence[ast.expr], shapes: Shapes) -> Dims | None:
    """Return the dims that an index leaves, or None if a part of the index is an array.

    A number drops the axis, `:` keeps the dim, and a slice gives a new dim. None adds an axis of size 1.
    """
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
    """Return the shape of `shape[index]`. An index with several axes gives an unknown array as many axes.

    `places` has the shape of each part of the index.
    """
    if [ast.unparse(part) for part in index] in (["..."], []):
        return shape  # `x[()]` is all of it, too
    axes, place = axes_of_index(index), whole_number(index[0]) if len(index) == 1 else None
    if isinstance(shape, Parts | Record) and place is not None:
        parts = shapes.unpack(shape, len(shape.shapes if isinstance(shape, Parts) else shape.fields))
        return parts[place] if -len(parts) <= place < len(parts) else None
    if len(index) == 1 and isinstance(index[0], ast.Constant) and isinstance(index[0].value, int):
        is_tuple = isinstance(shape, Unknown) and shapes.is_among(shapes.tuples, shape)
        parts = shapes.parts_of(shape.name) if is_tuple and isinstance(shape, Unknown) else []
        return parts[place] if place is not None and place < len(parts) else shapes.row(shape)
    if shapes.known(shape) is None and (axes > 1 or (axes == 1 and len(index) > 1)):
        shapes.learn(shape, tuple(shapes.new() for _ in range(axes)))
    _learn_lengths(shapes, shape, index, places)
    dims, gathered = shapes.known(shape), shapes.known(places[0])
    takes_rows = all(map(_is_whole, index[1:])) and whole_number(index[0]) is None
    if dims and gathered is not None and takes_rows:
        return (*gathered, *dims[1:])
    if isinstance(shape, Unknown) and takes_rows and (gathered is not None or isinstance(places[0], Unknown)):
        return _rows_at(shapes, shape, places[0])
    several = [place for place in places if isinstance(place, Unknown) or shapes.known(place)]
    shapes.be_as_many(several if len(several) > 1 else [])
    if isinstance(shape, Unknown):
        shapes.unclear.add(shape.name)
    left = indexed(dims, index, shapes) if dims is not None and 0 <= axes <= len(dims) else None
    return left if left is None or not isinstance(shape, Unknown) else _named(shapes, shape, left)


def _learn_lengths(shapes: Shapes, shape: Shape, index: Sequence[ast.expr], places: Sequence[Shape]) -> None:
    """Learn that an array is as long along an axis as the array whose places index the axis."""
    pairs = zip(index, places, strict=True)
    of_axes = [place for part, place in pairs if ast.unparse(part) != "None"]
    for axis, place in enumerate(of_axes if axes_of_index(index) > 0 else ()):
        if isinstance(place, Places) and (length := shapes.length(shape, axis)):
            shapes.learn((length,), (place.of,))


def _rows_at(shapes: Shapes, shape: Unknown, places: Shape) -> Unknown:
    """Return the rows of an array at `places`, as a named array with the axes of `places` in front."""
    rows = row = shapes.part(shape, str(places))
    dims = shapes.known(places)
    shapes.behind[rows.name] = axes = 1 if dims is None else len(dims)
    for _ in range(axes):
        row = shapes.row(row)
    shapes.be_of_one_length([rows, places])
    shapes.unify(shapes.row(shape), row)
    return rows


def read_behind(shapes: Shapes, shape: Shape) -> bool:
    """Whether an array of unknown shape is rows at some places. If so, learn that each row has an axis."""
    is_open = isinstance(shape, Unknown) and shape.name in shapes.behind and shapes.known(shape) is None
    for _ in range(shapes.behind[shape.name] if is_open and isinstance(shape, Unknown) else 0):
        shape = shapes.row(shape)
    shapes.require_axis(shape if is_open else None, 0)
    return is_open


def has_rows(shapes: Shapes, shape: Shape) -> bool:
    """Whether each row of an array of unknown shape must have an axis."""
    is_open = isinstance(shape, Unknown) and shapes.known(shape) is None
    return is_open and shapes.is_among(shapes.required, shapes.row(shape))


def _named(shapes: Shapes, shape: Unknown, left: Dims) -> Unknown:
    """Return a part of an array under its own name. Facts about the part's elements hold for the array."""
    part = shapes.part(shape, ":" + ",".join(left))
    shapes.learn(part, left)
    return part


def without_index(array: ast.expr) -> ast.expr:
    """Return the array below all subscripts: `labels` of `labels[:, None]`."""
    return without_index(array.value) if isinstance(array, ast.Subscript) else array


def transposed(shapes: Shapes, shape: Shape) -> Shape:
    """Return the shape of `x.T`. An array of unknown shape gets two axes."""
    if shapes.known(shape) is None:
        shapes.learn(shape, (shapes.new(), shapes.new()))
    dims = shapes.known(shape)
    return None if dims is None else dims[::-1]


def updated_part(function: ast.expr) -> ast.Subscript | None:
    """Return the part of an array that `x.at[index].set` updates, as `x[index]`, or None."""
    match function:
        case ast.Attribute(value=ast.Subscript(value=ast.Attribute(value=array, attr="at"), slice=index)):
            return ast.Subscript(array, index, ast.Load())
        case _:
            return None
