"""The axes of arrays: how many an argument has at least, as in `y = x @ w` and `y[:, :1]`, and the names of their sizes."""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from scaffold.source.expressions import Function, elements_of, local_values, nodes_of
from scaffold.source.instance import last_name
from scaffold.spec.skeletons.shapes.algebra.functions import ELEMENTWISE, PRODUCTS
from scaffold.spec.skeletons.shapes.algebra.indexing import axes_of_index
from scaffold.spec.skeletons.shapes.algebra.kinds_of_shapes import Shape

if TYPE_CHECKING:
    from scaffold.spec.skeletons.shapes.scope import Scope

_Made: TypeAlias = Mapping[str, list[ast.expr]]
"""What each local name is bound to."""


def axes_indexed(function: Function) -> Iterator[tuple[str, int]]:
    """The names that a function has several axes of, each with how many: those that it indexes, and those that these are computed of."""
    made: dict[str, list[ast.expr]] = {}
    for name, value in local_values(function):
        made.setdefault(name, []).append(value)
    for name, times in Counter(_stored(function)).items():
        if times > len(made.get(name, ())):
            made[name] = [ast.Constant(None)]  # by a loop, or of several values at once
    for part in nodes_of(ast.Subscript, function):
        axes = axes_of_index(elements_of(part.slice))
        if axes > 1:
            yield from ((name, axes) for name in _computed_of(part.value, made, frozenset()))


def _stored(function: Function) -> Iterator[str]:
    """The names that a function binds, as often as it does."""
    return (name.id for name in nodes_of(ast.Name, function) if isinstance(name.ctx, ast.Store))


def _computed_of(node: ast.expr, made: _Made, above: frozenset[str]) -> Iterator[str]:
    """The names of arrays that have as many axes as what an expression gives, if not fewer; none where a name stands for something else, too."""
    match node:
        case ast.Name(id=name) if name in above:
            yield name
        case ast.Name(id=name):
            parts = [[*_computed_of(value, made, above | {name})] for value in made.get(name, ())]
            if all(parts):
                yield from (name, *chain.from_iterable(parts))
        case ast.BinOp(left=inner, op=ast.MatMult()) | ast.UnaryOp(operand=inner):
            yield from _computed_of(inner, made, above)
        case ast.BinOp(left=left, right=right):
            yield from (*_computed_of(left, made, above), *_computed_of(right, made, above))
        case ast.Call(args=[first, *_]) if last_name(node) in (*ELEMENTWISE, *PRODUCTS):
            yield from _computed_of(first, made, above)
        case _:
            pass


def name_axes(scope: "Scope", array: Shape, names: list[ast.expr]) -> None:
    """Take it that names stand for the sizes of an array: `n, m = x.shape`."""
    scope.shapes.learn(array, tuple(scope.shapes.new() for _ in names))
    dims = scope.shapes.known(array) or ()
    scope.axes |= dict(zip(map(ast.unparse, names), dims if len(dims) == len(names) else (), strict=False))


def name_axis(scope: "Scope", target: ast.expr, value: ast.expr) -> None:
    """The same of one: `n = x.shape[0]`."""
    match value:
        case ast.Subscript(
            value=ast.Attribute(value=array, attr="shape"), slice=ast.Constant(value=int(axis))
        ):
            size = scope.shapes.length(scope.value(array), axis)
            scope.axes |= {ast.unparse(target): size} if size else {}
        case _:
            pass
