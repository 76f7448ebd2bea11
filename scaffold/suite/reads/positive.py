"""Arguments whose example values must be positive.

`[test]` names some. Others are in logarithms, roots or refusals, or are probabilities.
"""

import ast
from collections.abc import Iterator, Mapping
from functools import lru_cache

from scaffold.source.expressions import dedented, nodes_of
from scaffold.source.instance import calls, named_value, self_attributes
from scaffold.spec.construction.constructor import sources_of
from scaffold.spec.model import ModuleSpec

_WANT_POSITIVE = {"log", "log2", "log10", "sqrt", "rsqrt"}
_MOST_LOCALS = 3
"""The most local names through which a value is traced."""


def positive_names(spec: ModuleSpec) -> frozenset[str]:
    """Return the names of fields and arguments that must be positive.

    If a property or a method must be positive, the attributes that it reads count as well.
    """
    names = _wanted_in_all(tuple(method.call.body for method in spec.methods))
    names = names.union(spec.test.positive, *map(_wanted_in, _sources(spec)))
    made = (method.call.body for method in spec.methods if method.name in names)
    return names.union(*map(self_attributes, made))


def positive_names_with(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> frozenset[str]:
    """Return `positive_names`, and arguments named like a positive input of a held class."""
    if known.keys() <= {
        spec.name
    }:  # of each method it is asked, and the classes of all methods are many to walk
        return positive_names(spec)
    held = [known[kind.name] for kind in spec.classes if kind.module is None and kind.name in known]
    own = {argument.name for _, function in spec.functions for argument in function.call.args}
    named = (positive_names(other) - {field.name for field in other.fields} for other in held)
    return positive_names(spec).union(*(names & own for names in named))


def _sources(spec: ModuleSpec) -> Iterator[str]:
    """Yield the Python of a spec except its methods, piece by piece."""
    yield spec.setup
    yield spec.call.body if spec.call is not None else ""
    for field in spec.fields:
        yield from sources_of(field)
        yield field.check or ""


@lru_cache(maxsize=64)  # for each of its methods a suite asks about the whole class
def _wanted_in_all(sources: tuple[str, ...]) -> frozenset[str]:
    return frozenset[str]().union(*map(_wanted_in, sources))


@lru_cache(maxsize=4096)
def _wanted_in(source: str) -> frozenset[str]:
    return frozenset(filter(None, _wanted(ast.parse(dedented(source)))))


def _wanted(tree: ast.AST) -> Iterator[str | None]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr=function), args=[first, *_]) if function in _WANT_POSITIVE:
                yield from _parts(first, tree)
            case ast.Compare(left=left, ops=[ast.Gt() | ast.GtE()], comparators=[ast.Constant(value=0)]):
                yield named_value(left)
            case ast.Compare(
                left=left, ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()], comparators=[right]
            ):
                yield from (
                    named_value(other)
                    for draw, other in ((left, right), (right, left))
                    if _is_uniform(draw, tree)
                )
            case ast.Call(func=ast.Attribute(attr="bernoulli"), args=[_, probability, *_]):
                yield named_value(probability)
            case ast.Call(func=ast.Attribute(attr="error_if"), args=[_, refused, *_]):
                yield from _refused_below(refused)
            case _:
                pass


def _parts(node: ast.expr, tree: ast.AST, depth: int = 0) -> Iterator[str | None]:
    """Yield what is added, multiplied or divided to give a value, through local names as well.

    An example is `m2` of `var + eps` after `var = self.m2 / count`.
    """
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Mult() | ast.Div(), right=right):
            yield from (*_parts(left, tree, depth), *_parts(right, tree, depth))
        case ast.Name(id=name) if depth < _MOST_LOCALS:
            yield name
            for value in _assigned(name, tree):
                yield from _parts(value, tree, depth + 1)
        case _:
            yield named_value(node)


def _assigned(name: str, tree: ast.AST) -> Iterator[ast.expr]:
    """Yield the values that statements assign to a local name."""
    for node in nodes_of(ast.Assign, tree):
        if any(isinstance(target, ast.Name) and target.id == name for target in node.targets):
            yield node.value


def _is_uniform(node: ast.expr, tree: ast.AST) -> bool:
    """Whether an expression is a draw between 0 and 1, which code compares with a probability."""
    values = _assigned(node.id, tree) if isinstance(node, ast.Name) else [node]
    return any(calls(value, "uniform") for value in values)


def _refused_below(condition: ast.expr) -> Iterator[str | None]:
    for node in ast.walk(condition):
        match node:
            case ast.Compare(left=left, ops=[ast.Lt() | ast.LtE()], comparators=[ast.Constant(value=0)]):
                yield named_value(left)
            case _:
                pass
