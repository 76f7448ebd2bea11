"""Lists of sizes in a constructor, and the layers that a comprehension makes of them: `[Linear(a, b) for a, b in pairwise(sizes)]`."""

import ast
from collections.abc import Iterator, Mapping
from itertools import pairwise, repeat
from typing import Any, cast

from msgspec import Struct

from scaffold.spec.grammar.values import EXAMPLE_INTS, literal_or_none
from scaffold.spec.source.definitions import arguments_with_defaults
from scaffold.spec.source.expressions import local_values, nodes_of
from scaffold.spec.source.instance import last_name
from scaffold.spec.source.local_makers import substituted

Elements = list[ast.expr] | None
"""The elements of a list, as expressions; None of what is no list, or one of which nothing says the elements."""
_COPIES = 2
"""How many elements `[width] * depth` has."""


class SizeLists(Struct, frozen=True):
    """The lists that a constructor is given, and those that it binds to names."""

    values: Mapping[str, ast.expr]

    @classmethod
    def of(cls, maker: ast.FunctionDef) -> "SizeLists":
        given = dict(_lists_given(maker))
        return cls({**given, **dict(local_values(ast.unparse(maker)))})

    def parts(self, value: ast.expr) -> list[ast.expr]:
        """The expressions of the elements of what a field is made of; the one that stands for all where there are more; the value itself of what is no list."""
        match value:
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                return parts
            case ast.ListComp(elt=each) | ast.GeneratorExp(elt=each):
                return list(self._unrolled(value)) or [each]
            case ast.Call(args=[inner, *_]) if last_name(value) in ("List", "list", "tuple"):
                return self.parts(inner)
            case _:
                return [value]

    def _unrolled(self, value: ast.ListComp | ast.GeneratorExp) -> Iterator[ast.expr]:
        """The element of a comprehension for each size; nothing where no list of sizes is gone through."""
        loop = value.generators[0]
        for element in self._rows(loop.iter) or () if len(value.generators) == 1 else ():
            yield substituted(value.elt, dict(_bound(loop.target, element)))

    def _rows(self, every: ast.expr) -> list[Any] | None:
        """What a loop goes through: expressions, tuples of rows, None of what is no size."""
        match every:
            case ast.Call(args=[inner]) if last_name(every) == "pairwise":
                elements = self._elements(inner)
                return None if elements is None else list(pairwise(elements))
            case ast.Call(args=[inner, *_]) if last_name(every) == "enumerate":
                rows = self._rows(inner)
                return None if rows is None else [(None, row) for row in rows]
            case ast.Call(args=parts) if last_name(every) == "zip":
                lists = [self._rows(part) for part in parts]
                known = [rows for rows in lists if rows is not None]
                return list(zip(*(rows or repeat(None) for rows in lists), strict=False)) if known else None
            case _:
                return self._elements(every)

    def _elements(self, node: ast.expr) -> Elements:
        match node:
            case ast.Name(id=name) if name in self.values:
                without = {key: value for key, value in self.values.items() if key != name}
                return SizeLists(without)._elements(self.values[name])
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                return self._listed(parts)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                first, second = self._elements(left), self._elements(right)
                return None if first is None or second is None else first + second
            case ast.BinOp(left=ast.List() as one, op=ast.Mult(), right=count):
                times = literal_or_none(count)
                return (self._elements(one) or []) * (times if isinstance(times, int) else _COPIES)
            case ast.Call(args=[inner]) if last_name(node) in ("list", "tuple"):
                return self._elements(inner)
            case ast.Subscript(value=inner, slice=ast.Slice(lower=lower, upper=upper, step=None)):
                elements = self._elements(inner)
                bounds = (None if part is None else literal_or_none(part) for part in (lower, upper))
                return None if elements is None else elements[slice(*bounds)]
            case _:
                return None

    def _listed(self, parts: list[ast.expr]) -> Elements:
        """The elements of a display, in which one may be starred: `[in_size, *hidden, out_size]`."""
        elements: list[ast.expr] = []
        for part in parts:
            inner = self._elements(part.value) if isinstance(part, ast.Starred) else [part]
            if inner is None:
                return None
            elements += inner
        return elements


def _lists_given(maker: ast.FunctionDef) -> Iterator[tuple[str, ast.expr]]:
    """The arguments that are annotated as several whole numbers, each with its default, or with what the tests give for it."""
    for argument, default in arguments_with_defaults(maker):
        annotation = argument.annotation
        if isinstance(annotation, ast.Subscript):
            head = last_name(annotation.value)
            if {name.id for name in nodes_of(ast.Name, annotation.slice)} == {"int"} and head in EXAMPLE_INTS:
                yield argument.arg, default or ast.parse(EXAMPLE_INTS[head], mode="eval").body


def _bound(target: ast.expr, row: Any) -> Iterator[tuple[str, ast.expr]]:
    """The names that one round of a loop binds to sizes."""
    match target, row:
        case ast.Name(id=name), ast.expr():
            yield name, row
        case ast.Tuple(elts=targets), tuple():
            for inner, part in zip(targets, cast("tuple[Any, ...]", row), strict=False):
                yield from _bound(inner, part)
        case _:
            pass
