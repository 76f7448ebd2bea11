"""How many axes the arguments of a function have at least, as indices say of what is computed of them: two in `y = x @ w` and `y[:, :1]`."""

import ast
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from scaffold.spec.skeletons.shapes.functions import ELEMENTWISE, PRODUCTS
from scaffold.spec.skeletons.shapes.indexing import axes_of_index
from scaffold.spec.source.expressions import Function, elements_of, local_values, nodes_of
from scaffold.spec.source.instance import last_name

_Made: TypeAlias = Mapping[str, list[ast.expr]]
"""What each local name is bound to."""


def axes_indexed(function: Function) -> Iterator[tuple[str, int]]:
    """The names that a function has several axes of, each with how many: those that it indexes, and those that these are computed of."""
    made: dict[str, list[ast.expr]] = {}
    for name, value in local_values(function):
        made.setdefault(name, []).append(value)
    for part in nodes_of(ast.Subscript, function):
        axes = axes_of_index(elements_of(part.slice))
        if axes > 1:
            yield from ((name, axes) for name in _computed_of(part.value, made, {*()}))


def _computed_of(node: ast.expr, made: _Made, seen: set[str]) -> Iterator[str]:
    """The names of arrays that have as many axes as what an expression gives, if not fewer."""
    match node:
        case ast.Name(id=name) if name not in seen:
            seen.add(name)
            yield name
            for value in made.get(name, ()):
                yield from _computed_of(value, made, seen)
        case ast.BinOp(left=inner, op=ast.MatMult()) | ast.UnaryOp(operand=inner):
            yield from _computed_of(inner, made, seen)
        case ast.BinOp(left=left, right=right):
            yield from (*_computed_of(left, made, seen), *_computed_of(right, made, seen))
        case ast.Call(args=[first, *_]) if last_name(node) in (*ELEMENTWISE, *PRODUCTS):
            yield from _computed_of(first, made, seen)
        case _:
            pass
