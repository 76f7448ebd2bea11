"""Settings in the code of a class, such as `config.width`, replaced by their numbers."""

import ast
import copy
from collections.abc import Mapping

from scaffold.source.definitions import annotated_names
from scaffold.source.expressions import Function

Counts = Mapping[str, Mapping[str, int]]
"""Whole numbers of each settings class, by field."""


def with_counts(node: ast.ClassDef, counts: Counts) -> ast.ClassDef:
    """Return a copy of a class with settings replaced by numbers, or the class if it takes none."""
    text = ast.unparse(node) if counts else ""
    if not any(name in text for name in counts):
        return node
    fields = {name: _counts_of(field.annotation, counts) for name, field in annotated_names(node.body)}
    return _Reader(counts, {name: numbers for name, numbers in fields.items() if numbers}).visit(
        copy.deepcopy(node)
    )


def _counts_of(annotation: ast.expr | None, counts: Counts) -> Mapping[str, int]:
    return counts.get(ast.unparse(annotation).strip("'\""), {}) if annotation is not None else {}


class _Reader(ast.NodeTransformer):
    def __init__(self, counts: Counts, fields: Counts):
        self.counts, self.fields = counts, fields
        self.arguments: dict[str, Mapping[str, int]] = {}

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._function(node)

    def _function(self, node: Function) -> ast.AST:
        outer, taken = self.arguments, (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
        self.arguments = outer | {
            argument.arg: _counts_of(argument.annotation, self.counts) for argument in taken
        }
        self.generic_visit(node)
        self.arguments = outer
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        match node.value:
            case ast.Name(id=name):
                number = self.arguments.get(name, {}).get(node.attr)
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                number = self.fields.get(name, {}).get(node.attr)
            case _:
                number = None
        return node if number is None else ast.copy_location(ast.Constant(number), node)
