"""Shapes that statements require, such as `assert x.shape == (3, self.size)`, or an `if` that raises."""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from scaffold.source.expressions import whole_number
from scaffold.source.instance import attribute_of_self
from scaffold.spec.grammar.named_dims import AXIS
from scaffold.spec.skeletons.shapes.algebra.kinds_of_shapes import Dims, Shape, Unknown

if TYPE_CHECKING:
    from scaffold.spec.skeletons.shapes.scope import Scope


def learn_required(scope: "Scope", statement: ast.stmt) -> bool:
    """Learn the shapes without which a statement raises, and return whether there are any."""
    pairs = list(_equal(statement))
    said = [_learn_equal(scope, *pair) for left, right in pairs for pair in ((left, right), (right, left))]
    return any(said)


def _equal(statement: ast.stmt) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the pairs of expressions that must be equal, or a statement raises."""
    match statement:
        case ast.Assert(test=test):
            yield from _compared(test, ast.And, ast.Eq)
        case ast.If(test=test, body=[*_, ast.Raise()]):
            yield from _compared(test, ast.Or, ast.NotEq)
        case _:
            pass


def _compared(
    test: ast.expr, joining: type[ast.boolop], operator: type[ast.cmpop]
) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the sides of joined comparisons, also of a comparison after `x is not None and`."""
    match test:
        case ast.BoolOp(values=[ast.Compare(ops=[ast.Is() | ast.IsNot()]), inner]):
            test = inner
        case _:
            pass
    parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, joining) else [test]
    for part in parts:
        if isinstance(part, ast.Compare) and [type(each) for each in part.ops] == [operator]:
            yield part.left, part.comparators[0]


def _learn_equal(scope: "Scope", left: ast.expr, right: ast.expr) -> bool:
    """Learn from `x.shape`, `x.ndim` or a size on the left side, and return whether there is any."""
    match left, right:
        case ast.Attribute(value=array, attr="shape"), ast.Tuple(elts=sizes):
            return _require(scope, array, tuple(size_asked(scope, size) for size in sizes))
        case ast.Attribute(value=array, attr="ndim"), ast.Constant(value=int(axes)):
            return _require(scope, array, tuple(scope.shapes.new() for _ in range(axes)))
        case (
            ast.Subscript(
                value=ast.Attribute(value=array, attr="shape"), slice=ast.Slice(lower=lower, step=None)
            ),
            ast.Tuple(elts=sizes),
        ):
            before = (scope.shapes.new() for _ in range(whole_number(lower) or 0))
            return _require(scope, array, (*before, *(size_asked(scope, size) for size in sizes)))
        case ast.Subscript(value=ast.Attribute(value=array, attr="shape"), slice=index), _:
            axis, shape = whole_number(index), scope.value(array)
            size = size_asked(scope, right)
            if axis is not None and size:
                scope.shapes.require_axis(shape, axis)
                _require_size(scope, _axis(scope, shape, axis), size)
            return bool(size)
        case ast.Name(id=name), _ if name in scope.axes and (size := size_asked(scope, right)):
            _require_size(scope, (scope.axes[name],), size)
            return True
        case _:
            return False


def _require(scope: "Scope", array: ast.expr, dims: Dims) -> bool:
    """Learn the required dims of an unknown array, and return whether all of them are known."""
    shape = scope.value(array)
    if all(dims) and isinstance(shape, Unknown):
        scope.shapes.stated.add(shape.name)
    if all(dims) and scope.shapes.known(shape) is None:
        scope.shapes.learn(shape, dims)
    return all(dims)


def _require_size(scope: "Scope", dims: Dims | None, size: str) -> None:
    """Learn the required size of an axis, even size 1, which elementwise code leaves open."""
    [dim] = dims or [""]
    if size == "1" and dim.startswith(AXIS) and dim.isidentifier():
        scope.shapes.axes[dim] = size
    scope.shapes.learn(dims, (size,))


def size_asked(scope: "Scope", size: ast.expr) -> str:
    """Return a required size: a number, a setting, or an axis, as `self.indices.size`. Else return `""`."""
    match size:
        case ast.Constant(value=int()):
            return ast.unparse(size)
        case ast.Attribute(value=ast.Attribute(value=ast.Name(id="self")) as array, attr="size"):
            scope.shapes.learn(scope.value(array), (scope.shapes.new(),))
            axis = 0
        case ast.Subscript(
            value=ast.Attribute(value=array, attr="shape"), slice=ast.Constant(value=int(axis))
        ):
            pass
        case _:
            stored = scope.uses.instance.settings.get(ast.unparse(size).removeprefix("self."))
            return stored or attribute_of_self(size) or ""
    [dim] = _axis(scope, scope.value(array), axis) or [""]
    return dim


def size_named(scope: "Scope", size: ast.expr) -> str:
    """Return a required size, which may also be a bound name: `n` after `n = x.shape[0]`."""
    return scope.axes.get(ast.unparse(size)) or size_asked(scope, size)


def _axis(scope: "Scope", shape: Shape, axis: int) -> Dims | None:
    """Return the dim of an axis as dims of length 1, or None if the dim is unknown."""
    dims = scope.shapes.known(shape) or ()
    return (dims[axis],) if -len(dims) <= axis < len(dims) else None
