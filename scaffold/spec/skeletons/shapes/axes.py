"""Axes of arrays: their least number, as `y = x @ w` and `y[:, :1]` imply, and names of their sizes."""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from scaffold.source.expressions import Function, elements_of, local_values, nodes_of
from scaffold.source.instance import last_name
from scaffold.spec.skeletons.shapes.algebra.functions import ALONG_AN_AXIS, ELEMENTWISE, PRODUCTS
from scaffold.spec.skeletons.shapes.algebra.indexing import axes_of_index
from scaffold.spec.skeletons.shapes.algebra.kinds_of_shapes import Shape

if TYPE_CHECKING:
    from scaffold.spec.skeletons.shapes.scope import Scope

_Made: TypeAlias = Mapping[str, list[ast.expr]]
"""Values to which a function binds each local name."""


def learn_axes_read(scope: "Scope", function: Function) -> None:
    """Learn the least number of axes of arguments, from the axes that a function indexes."""
    for array, axes in _axes_read(function):
        scope.shapes.read_axis(scope.value(array), axes - 1)


def _axes_read(function: Function) -> Iterator[tuple[ast.expr, int]]:
    """Yield arrays of which a function reads several axes, with the number.

    An index or a reshape reads axes of an array, and of arrays from which the array is computed.
    """
    made: dict[str, list[ast.expr]] = {}
    for name, value in (*local_values(function), *_unpacked(function)):
        made.setdefault(name, []).append(value)
    for name, times in Counter(_stored(function)).items():
        if times > len(made.get(name, ())):
            made[name] = [ast.Constant(None)]  # by a loop, or of several values at once
    for part in nodes_of(ast.Subscript, function):
        axes = axes_of_index(elements_of(part.slice))
        if axes > 1:
            yield from ((array, axes) for array in _computed_of(part.value, made, frozenset()))
    for call in nodes_of(ast.Call, function):
        if _keeps_rows(call, made):
            array = call.func.value if isinstance(call.func, ast.Attribute) else call
            yield from ((array, 2) for array in _computed_of(array, made, frozenset()))
        for left in _rows_multiplied(call, made):
            yield from ((array, 2) for array in _computed_of(left, made, frozenset()))


def _rows_multiplied(call: ast.Call, made: _Made) -> Iterator[ast.expr]:
    """Yield `memory` of `softmax(memory @ query)`, which has rows, since a scalar has no softmax."""
    waiting, seen = call.args[:1] if last_name(call) in ALONG_AN_AXIS else [], set[str]()
    while waiting:
        match waiting.pop():
            case ast.Name(id=name) if name not in seen:
                waiting += made.get(name, ())
                seen.add(name)
            case ast.BinOp(left=left, op=ast.MatMult(), right=ast.Name() | ast.Call()):
                yield left
            case ast.BinOp(left=left, op=op, right=right) if not isinstance(op, ast.MatMult):
                waiting += [left, right]
            case _:
                pass


def _unpacked(function: Function) -> Iterator[tuple[str, ast.expr]]:
    """Yield names unpacked from another name, each with its value: `state[0]` of `x, y = state`."""
    for statement in nodes_of(ast.Assign, function):
        match statement:
            case ast.Assign(targets=[ast.Tuple(elts=parts)], value=ast.Name() as whole):
                for place, part in enumerate(parts):
                    if isinstance(part, ast.Name):
                        yield part.id, ast.Subscript(whole, ast.Constant(place), ast.Load())
            case _:
                pass


def _keeps_rows(call: ast.Call, made: _Made) -> bool:
    """Whether a call is `x.reshape(n, -1)` after `n = x.shape[0]`, so that `x` has rows."""
    first, *rest = call.args or [ast.Constant(None)]
    sizes = [first, *(made.get(first.id, ()) if isinstance(first, ast.Name) else ())]
    is_kept = any(ast.unparse(size).endswith(".shape[0]") for size in sizes)
    return last_name(call) == "reshape" and is_kept and "-1" in map(ast.unparse, rest)


def _stored(function: Function) -> Iterator[str]:
    """Yield each name that a function binds, once per binding."""
    return (name.id for name in nodes_of(ast.Name, function) if isinstance(name.ctx, ast.Store))


def _computed_of(node: ast.expr, made: _Made, above: frozenset[str]) -> Iterator[ast.expr]:
    """Yield arrays in an expression with at least its number of axes, or none if a name is ambiguous."""
    match node:
        case ast.Name(id=name) if name in above:
            yield node
        case ast.Name(id=name):
            parts = [[*_computed_of(value, made, above | {name})] for value in made.get(name, ())]
            if all(parts):
                yield from (node, *chain.from_iterable(parts))
        case ast.Attribute(value=ast.Name(id=name)) if name != "self":
            yield node
        case ast.Subscript(value=ast.Name(), slice=ast.Constant()):
            yield node
        case ast.BinOp(left=inner, op=ast.MatMult()) | ast.UnaryOp(operand=inner):
            yield from _computed_of(inner, made, above)
        case ast.BinOp(left=left, right=right):
            yield from (*_computed_of(left, made, above), *_computed_of(right, made, above))
        case ast.Call(args=[first, *_]) if last_name(node) in (*ELEMENTWISE, *PRODUCTS):
            yield from _computed_of(first, made, above)
        case _:
            pass


def name_axes(scope: "Scope", array: Shape, names: list[ast.expr]) -> None:
    """Bind names to the sizes of an array: `n, m = x.shape`."""
    scope.shapes.learn(array, tuple(scope.shapes.new() for _ in names))
    dims = scope.shapes.known(array) or ()
    scope.axes |= dict(zip(map(ast.unparse, names), dims if len(dims) == len(names) else (), strict=False))


def name_axis(scope: "Scope", target: ast.expr, value: ast.expr) -> None:
    """Bind a name to the size of an axis: `n = x.shape[0]`."""
    match value:
        case ast.Subscript(
            value=ast.Attribute(value=array, attr="shape"), slice=ast.Constant(value=int(axis))
        ):
            size = scope.shapes.length(scope.value(array), axis)
            scope.axes |= {ast.unparse(target): size} if size else {}
        case _:
            pass
