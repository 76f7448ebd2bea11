"""Functions that make an optax transformation, by annotation or source. None of them runs."""

import ast
import functools
import inspect
import re
import sys
import textwrap
import types
from collections.abc import Iterator
from typing import Any

from ..values.annotations import EMPTY

SAYS = re.compile(r"^['\"]?(\w+\.)*GradientTransformation(ExtraArgs)?['\"]?$")


def transformation_type() -> Any:
    """Return the class of all transformations, or None if optax is not imported."""
    return getattr(sys.modules.get("optax"), "GradientTransformation", None)


def is_transformation(function: Any, above: tuple[Any, ...] = ()) -> bool:
    """Whether a function makes a transformation, by its annotation or its return statements."""
    if not isinstance(function, types.FunctionType) or transformation_type() is None or function in above:
        return False
    said = function.__annotations__.get("return", EMPTY)
    if said is not EMPTY:
        return says(said)
    return any(makes(node, function, above) for node in returned(function))


def says(annotation: Any) -> bool:
    """Whether an annotation names the class of transformations, as an object or as text."""
    if isinstance(annotation, type):
        return issubclass(annotation, transformation_type())
    return isinstance(annotation, str) and SAYS.match(annotation) is not None


def returned(function: Any) -> Iterator[ast.expr]:
    """Yield the expressions that a function returns, with a local name replaced by its value."""
    try:
        [node] = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    except (OSError, TypeError, SyntaxError, ValueError):
        return
    statements = list(statements_in(node))
    values = {
        target.id: assignment.value
        for assignment in statements
        if isinstance(assignment, ast.Assign)
        for target in assignment.targets
        if isinstance(target, ast.Name)
    }
    for statement in statements:
        if isinstance(statement, ast.Return) and statement.value is not None:
            yield (
                values.get(statement.value.id, statement.value)
                if isinstance(statement.value, ast.Name)
                else statement.value
            )


def statements_in(function: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a function, except nodes of nested functions and classes."""
    for child in ast.iter_child_nodes(function):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            yield child
            yield from statements_in(child)


def makes(node: ast.expr, function: Any, above: tuple[Any, ...]) -> bool:
    """Whether an expression calls a function that makes a transformation, or the class of transformations."""
    if not isinstance(node, ast.Call):
        return False
    try:
        first, *names = ast.unparse(node.func).split(".")
        maker = functools.reduce(getattr, names, function.__globals__[first])
    except (AttributeError, KeyError):
        return False
    if isinstance(maker, type):
        return issubclass(maker, transformation_type())
    return is_transformation(maker, (*above, function))
