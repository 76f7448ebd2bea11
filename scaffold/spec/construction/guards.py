"""Sizes that a constructor refuses: `if width % 2 == 0: raise ValueError(...)`, `assert depth > 1`."""

import ast
from collections.abc import Iterator, Mapping

from scaffold.spec.construction.arithmetic import measured
from scaffold.spec.model import ModuleSpec
from scaffold.spec.once import once
from scaffold.spec.source.expressions import dedented, nodes_of


def is_refused(spec: ModuleSpec, sizes: Mapping[str, int]) -> bool:
    """Whether the author's constructor raises with these sizes, as far as arithmetic tells."""
    return any(measured(condition, sizes) for condition in _conditions(spec))


@once
def _conditions(spec: ModuleSpec) -> tuple[str, ...]:
    """What must not hold of the arguments of the constructor."""
    own = spec.own_constructor
    source = dedented(own.call.source if own is not None else spec.setup)
    if "raise" not in source and "assert" not in source:
        return ()
    return tuple(map(ast.unparse, refused_conditions(ast.parse(source))))


def refused_conditions(tree: ast.AST) -> Iterator[ast.expr]:
    """The conditions under which statements raise."""
    for node in nodes_of(ast.stmt, tree):
        match node:
            case ast.If(test=test, body=[ast.Raise()], orelse=[]):
                yield test
            case ast.Assert(test=test):
                yield ast.UnaryOp(ast.Not(), test)
            case _:
                pass
