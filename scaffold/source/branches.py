"""Branches that constants decide, such as `if train:` where `train` is False."""

import ast
from collections.abc import Mapping
from typing import Any

Given = Mapping[str, Any]
"""Values of arguments that are constant in the example, and of settings such as `self.training`."""
CONSTANTS = {"True": True, "False": False, "None": None}
"""Constants that decide a branch, by their source."""


def decided(test: ast.expr, given: Given) -> bool | None:
    """Return the truth of a test under the known values, or None if it depends on more."""
    match test:
        case ast.Name(id=name) if name in given:
            return bool(given[name])
        case ast.Attribute(value=ast.Name(id="self")) if ast.unparse(test) in given:
            return bool(given[ast.unparse(test)])
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            is_true = decided(inner, given)
            return None if is_true is None else not is_true
        case ast.BoolOp(op=operator, values=values):
            decided_values = [decided(value, given) for value in values]
            is_and = isinstance(operator, ast.And)
            if (not is_and) in decided_values:
                return not is_and
            return None if None in decided_values else is_and
        case ast.Compare(
            left=ast.Name(id=name),
            ops=[ast.Is() | ast.IsNot() as operator],
            comparators=[ast.Constant(value=None)],
        ):
            is_none = given[name] is None if name in given else None
            return is_none if isinstance(operator, ast.Is) or is_none is None else not is_none
        case _:
            return None


def taken(body: list[ast.stmt], given: Given) -> list[ast.stmt]:
    """Return the statements that run under the known values, without the branches that these rule out."""
    left: list[ast.stmt] = []
    for statement in body:
        is_true = decided(statement.test, given) if isinstance(statement, ast.If) else None
        if isinstance(statement, ast.If) and is_true is not None:
            left += taken(statement.body if is_true else statement.orelse, given)
        else:
            left.append(_within(statement, given))
        if left and isinstance(left[-1], ast.Return):
            break
    return left


def _within(statement: ast.stmt, given: Given) -> ast.stmt:
    """Remove the branches that are ruled out inside a statement, such as a loop, in place."""
    for name in ("body", "orelse", "finalbody"):
        own = getattr(statement, name, None)
        if own and not isinstance(statement, ast.FunctionDef | ast.ClassDef):
            setattr(statement, name, taken(own, given) or [ast.Pass()])
    return statement
