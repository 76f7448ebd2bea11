"""Whole numbers that code uses as indices of elements or axes.

Each index must lie within an array, and differ from the others.
"""

import ast
from collections.abc import Iterator
from itertools import count

from scaffold.source.expressions import elements_of, nodes_of, parsed
from scaffold.source.instance import last_name, named_value
from scaffold.spec.grammar.types import ScalarType
from scaffold.spec.grammar.values import EXAMPLE_INT
from scaffold.spec.model import ModuleSpec
from scaffold.spec.once import once

_INT = ScalarType("int")
_ELEMENTS = {"take": 1, "dynamic_index_in_dim": 1, "dynamic_update_index_in_dim": 2}
"""Functions that take the index of an element, with the position of that argument."""
_SECOND_FIRST = {0: 1, 1: 0}
"""An exchange of indices 0 and 1, since the last of two elements shows more than the first."""


def place_of(spec: ModuleSpec, name: str) -> int:
    """Return the example of a whole number. An index of an element or axis fits an array of two."""
    return _places(spec).get(name, int(EXAMPLE_INT))


@once
def _places(spec: ModuleSpec) -> dict[str, int]:
    trees = [parsed(method.call.text) for _, method in spec.functions if method.is_function]
    elements = {name for tree in trees for name in _elements(tree)}
    axes = {name for tree in trees for name in _axes(tree)}
    groups = [[each.name for each in method.call.args if each.type == _INT] for _, method in spec.functions]
    groups.append([field.name for field in spec.fields if field.type == _INT])
    ranks: dict[str, int] = {}
    for names in groups:
        for name in names:
            taken = {ranks[other] for other in names if other in ranks}
            if name in elements | axes and name not in ranks:
                ranks[name] = next(rank for rank in count() if rank not in taken)
    return {name: rank if name in axes else _SECOND_FIRST.get(rank, rank) for name, rank in ranks.items()}


def _elements(tree: ast.AST) -> Iterator[str]:
    """Yield the numbers by which code takes one element: `i` of `x[i]` and `x[i + 1]`, not of `x[:i]`."""
    for node in nodes_of(ast.Subscript, tree):
        for index in elements_of(node.slice):
            if not isinstance(index, ast.Slice):
                yield from (name for part in ast.walk(index) if (name := named_value(part)))
    for call in nodes_of(ast.Call, tree):
        place = _ELEMENTS.get(last_name(call) or "", len(call.args))
        yield from (name for part in call.args[place : place + 1] if (name := named_value(part)))


def _axes(tree: ast.AST) -> Iterator[str]:
    """Yield the numbers that code passes as `axis`, or names so."""
    for call in nodes_of(ast.Call, tree):
        pairs = [(keyword.arg or "", keyword.value) for keyword in call.keywords]
        pairs += [(named_value(part) or "", part) for part in call.args]
        yield from (name for key, part in pairs if key.startswith("axis") and (name := named_value(part)))
