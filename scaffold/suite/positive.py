"""The arguments whose example values must be positive: those that `[test]` names, and those that logarithms, roots and refusals want so."""

import ast
from collections.abc import Iterator

from scaffold.spec.constructor import sources_of
from scaffold.spec.expressions import dedented
from scaffold.spec.model import ModuleSpec

_WANT_POSITIVE = {"log", "log2", "log10", "sqrt", "rsqrt"}


def positive_names(spec: ModuleSpec) -> frozenset[str]:
    """Names of fields and of arguments."""
    found = {name for source in _sources(spec) for name in _wanted(ast.parse(source))}
    return frozenset({*spec.test.positive, *found})


def _sources(spec: ModuleSpec) -> Iterator[str]:
    """The Python of a spec, a piece at a time."""
    yield dedented(spec.setup)
    yield from (dedented(call.body) for call in (spec.call, *(one.call for one in spec.methods)) if call)
    for field in spec.fields:
        yield from sources_of(field)
        yield field.check or ""


def _wanted(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr=function), args=[first, *_]) if function in _WANT_POSITIVE:
                yield from _name(first)
            case ast.Compare(left=left, ops=[ast.Gt() | ast.GtE()], comparators=[ast.Constant(value=0)]):
                yield from _name(left)
            case ast.Call(func=ast.Attribute(attr="error_if"), args=[_, refused, *_]):
                yield from _refused_below(refused)
            case _:
                pass


def _refused_below(condition: ast.expr) -> Iterator[str]:
    for node in ast.walk(condition):
        match node:
            case ast.Compare(left=left, ops=[ast.Lt() | ast.LtE()], comparators=[ast.Constant(value=0)]):
                yield from _name(left)
            case _:
                pass


def _name(node: ast.expr) -> Iterator[str]:
    """The argument, or the field, that an expression is."""
    match node:
        case ast.Name(id=name) | ast.Attribute(value=ast.Name(id="self"), attr=name):
            yield name
        case _:
            pass
