"""Shapes that statements require, such as `assert x.shape == (3, self.size)`, or an `if` that raises.

A choice between an argument and another value requires that both have one shape.
"""

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from scaffold.source.branches import decided
from scaffold.source.expressions import whole_number
from scaffold.source.instance import attribute_of_self, last_name
from scaffold.spec.grammar.named_dims import AXIS
from scaffold.spec.skeletons.shapes.algebra.kinds_of_shapes import Dims, Shape, Unknown
from scaffold.spec.skeletons.shapes.made_dtypes import held_in

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
        case ast.Subscript(value=ast.Attribute(value=array, attr="shape"), slice=index) if (
            axis := whole_number(index)
        ) is not None:
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


def chosen(scope: "Scope", node: ast.expr) -> Shape:
    """Return the shape of a choice between an argument and the value that stands in for None, or None.

    Examples are `zeros(3) if h is None else h` and `h or zeros(3)`.
    """
    match node:
        case ast.IfExp(test=test, body=body, orelse=orelse) if name := _left_out(test):
            usual, given = (body, orelse) if decided(test, {name: None}) else (orelse, body)
        case ast.BoolOp(op=ast.Or(), values=[ast.Name(id=name) as given, usual]):
            pass
        case _:
            for part in ast.iter_child_nodes(node):
                scope.value(part) if isinstance(part, ast.expr) else None
            return None
    shapes = scope.value(given), scope.value(usual)
    return shapes[0] if _stands_in(scope, scope.bound.get(name), *shapes, usual) else None


def learn_chosen(scope: "Scope", statement: ast.If) -> None:
    """Learn of a choice between statements, as of `if h is None: h = zeros(3)`, before it is read."""
    name = _left_out(statement.test)
    branches = (statement.body, statement.orelse)
    usual, given = branches if decided(statement.test, {name: None}) else branches[::-1]
    others = {ast.unparse(target): value for target, value in _assigned(given)}
    for target, value in _assigned(usual) if name else ():
        other = scope.value(others.get(ast.unparse(target), target))
        _stands_in(scope, scope.bound.get(name), other, scope.value(value), value)


def _assigned(body: Iterable[ast.stmt]) -> list[tuple[ast.expr, ast.expr]]:
    """Return the targets of assignments, each with its value."""
    return [(part.targets[0], part.value) for part in body if isinstance(part, ast.Assign)]


def _left_out(test: ast.expr) -> str:
    """Return the name that a test compares with None, or `""`."""
    match test:
        case ast.Compare(
            left=ast.Name(id=name), ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(value=None)]
        ):
            return name
        case _:
            return ""


def _stands_in(scope: "Scope", argument: Shape, given: Shape, usual: Shape, made: ast.expr) -> bool:
    """Learn the shape of an argument from the value that stands in for None, and return whether it is one.

    An own number is no array, and a constructor makes what it is not given.
    """
    shapes = scope.shapes
    if not (isinstance(argument, Unknown) and shapes.is_among([argument.name], given)):
        return False
    if usual is None or shapes.known(usual) == () or scope.name == "__init__":
        return False
    shapes.unify(given, usual)
    shapes.stated.add(argument.name)
    is_count = held_in(made) == "counts" or last_name(made) == "arange" or shapes.is_count(usual)
    shapes.hold_counts([argument] if is_count else [])
    shapes.flags |= {argument.name} if held_in(made) == "flags" else set[str]()
    return True
