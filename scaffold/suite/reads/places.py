"""Whole numbers that code uses as indices of elements or axes.

Each index must lie within an array, and differ from the others.
"""

import ast
from collections.abc import Callable, Iterator
from itertools import count

from scaffold.source.expressions import elements_of, nodes_of, parsed
from scaffold.source.instance import last_name, named_value
from scaffold.spec.construction.local_sizes import array_arguments
from scaffold.spec.grammar.types import ArrayType, ScalarType
from scaffold.spec.grammar.values import EXAMPLE_INT
from scaffold.spec.model import Call, ModuleSpec
from scaffold.spec.once import once

_INT = ScalarType("int")
_ELEMENTS = {"take": 1, "dynamic_index_in_dim": 1, "dynamic_update_index_in_dim": 2}
"""Functions that take the index of an element, with the position of that argument."""
_USUAL = 2
"""The number of whole numbers, 0 and 1, in an example of which nothing says the range."""
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


def end_of_indices(spec: ModuleSpec, name: str, size_of: Callable[[str], tuple[int, ...]]) -> int:
    """Return the number of entries that the indices in an argument may lead to, or 0 for few or unknown."""
    size = min((size_of(dim)[0] for dim in _dims_indexed(spec, name)), default=0)
    return size if size > _USUAL else 0


def _dims_indexed(spec: ModuleSpec, name: str) -> list[str]:
    """Return the dims of the axes that an argument indexes, or none if other code reads it as well."""
    dims = list[str]()
    for _, method in spec.functions:
        if name in (argument.name for argument in method.call.args):
            tree = parsed(method.call.text)
            indexed = [*_dims_at(spec, method.call, tree, name)]
            asked = [node for node in nodes_of(ast.Name, tree) if node.id == name]
            if not all(indexed) or len(asked) > len(indexed) + _asked_lengths(tree, name):
                return []
            dims += indexed
    return dims


def _dims_at(spec: ModuleSpec, call: Call, tree: ast.AST, name: str) -> Iterator[str]:
    """Yield the dim of each axis that code indexes with an array or a part of it, or `""`."""
    arrays = {**{f"self.{each.name}": each.array for each in spec.stored}, **array_arguments(call)}
    for node in nodes_of(ast.Subscript, tree):
        holder = (
            node.value.value
            if isinstance(node.value, ast.Attribute) and node.value.attr == "at"
            else node.value
        )
        array, parts = arrays.get(ast.unparse(holder)), elements_of(node.slice)
        dims = array.dims if array is not None and _covers(array, parts) else [""] * len(parts)
        for part, dim in zip(parts, dims, strict=False):
            index = part.value if isinstance(part, ast.Subscript) else part
            if isinstance(index, ast.Name) and index.id == name:
                yield dim


def _covers(array: ArrayType, index: list[ast.expr]) -> bool:
    """Whether each part of an index belongs to one axis of an array."""
    texts = (*map(ast.unparse, index), *(dim[:1] for dim in array.dims))
    return len(index) <= len(array.dims) and not {"None", "...", "*"}.intersection(texts)


def _asked_lengths(tree: ast.AST, name: str) -> int:
    """Count the reads of an array that ask for its shape alone."""
    lengths = (ast.unparse(call) for call in nodes_of(ast.Call, tree))
    shapes = (ast.unparse(node) for node in nodes_of(ast.Attribute, tree))
    return sum(text == f"len({name})" for text in lengths) + sum(text == f"{name}.shape" for text in shapes)
