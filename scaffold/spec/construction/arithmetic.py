"""Arithmetic over sizes: dims, deviations, conditions, and constants of a module.

Examples are `4*hidden`, `1 / sqrt(3 * in_size)` and `size % 2 == 0`.
"""

import ast
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import count, pairwise
from typing import Any

from scaffold.source.definitions import statements
from scaffold.source.expressions import bound_value

_OPERATIONS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: left * right,
    ast.Div: lambda left, right: left / right,
    ast.FloorDiv: lambda left, right: left // right,
    ast.Mod: lambda left, right: left % right,
    ast.Pow: math.pow,
}
COMPARISONS: dict[type, Callable[[Any, Any], bool]] = {
    **{ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le},
    **{ast.Gt: operator.gt, ast.GtE: operator.ge},
}
_INVERSES: dict[type, type[ast.operator]] = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv}
FUNCTIONS: dict[str, Callable[..., float]] = {"sqrt": math.sqrt, "log": math.log, "max": max, "min": min}
_FURTHER: dict[str, Callable[..., Any]] = {"exp": math.exp, "abs": math.fabs, "len": len}
"""Further functions, which conditions call."""
_CONSTANTS = {"math.pi": math.pi, "math.e": math.e, "math.tau": math.tau}


def evaluate(source: str, sizes: Mapping[str, float]) -> Any:
    """Evaluate arithmetic over `sizes`. Raises `KeyError` for unknown names, and the errors of Python."""
    return _number(_parsed(source), sizes)


def measured(source: str, sizes: Mapping[str, float]) -> float | None:
    """Evaluate arithmetic over `sizes` to a float, or return None if that fails."""
    try:
        return float(evaluate(source, sizes))
    except (KeyError, TypeError, ValueError, ArithmeticError, SyntaxError, RecursionError, MemoryError):
        return None


@cache
def _parsed(source: str) -> ast.expr:
    return ast.parse(source.strip(), mode="eval").body


def _number(node: ast.expr, sizes: Mapping[str, float]) -> Any:
    match node:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.Name(id=name):
            return sizes[name]
        case ast.Attribute():
            return _CONSTANTS[ast.unparse(node)]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_number(operand, sizes)
        case ast.BinOp(left=left, op=op, right=right):
            return _OPERATIONS[type(op)](_number(left, sizes), _number(right, sizes))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _number(operand, sizes)
        case ast.BoolOp(op=ast.And() | ast.Or() as op, values=values):
            return (all if isinstance(op, ast.And) else any)(_number(value, sizes) for value in values)
        case ast.Compare(left=left, ops=ops, comparators=right):
            numbers = [_number(part, sizes) for part in (left, *right)]
            pairs = zip(ops, pairwise(numbers), strict=True)
            return all(COMPARISONS[type(op)](*pair) for op, pair in pairs)
        case ast.Call(func=function, args=arguments, keywords=[]):
            name = ast.unparse(function).removeprefix("math.")
            return {**FUNCTIONS, **_FURTHER}[name](*(_number(argument, sizes) for argument in arguments))
        case _:
            raise KeyError(ast.unparse(node))


def solved(source: str, size: str) -> tuple[str, str] | None:
    """Solve arithmetic equal to `size` for its name: `n+1` gives (`n`, `size - 1`).

    Return None if there is more than one name, or an operation has no inverse on whole numbers.
    """
    solution = _solved(_parsed(source), _parsed(size))
    return None if solution is None else (solution[0], ast.unparse(solution[1]))


def _solved(node: ast.expr, size: ast.expr) -> tuple[str, ast.expr] | None:
    match node:
        case ast.Name(id=name):
            return name, size
        case ast.BinOp(left=ast.Constant() as number, op=ast.Sub(), right=rest):
            return _solved(rest, ast.BinOp(number, ast.Sub(), size))
        case (
            ast.BinOp(left=rest, op=ast.Add() | ast.Sub() | ast.Mult() as op, right=ast.Constant() as number)
            | ast.BinOp(left=ast.Constant() as number, op=ast.Add() | ast.Mult() as op, right=rest)
        ) if number.value:
            return _solved(rest, ast.BinOp(size, _INVERSES[type(op)](), number))
        case _:
            return None


def whole_constants(sources: Iterable[str]) -> dict[str, int]:
    """Return the names that statements bind once, to a whole number, with these numbers."""
    every = (statement for source in sources for statement in statements(source))
    assigned = [pair for statement in every if (pair := bound_value(statement)) is not None]
    names = [name for name, _ in assigned]
    numbers, lengths = dict[str, int](), dict[str, int]()
    for name, value in assigned:
        number = _whole(value, numbers, lengths) if names.count(name) == 1 else None
        if number is not None:
            numbers[name] = number
        elif isinstance(value, ast.Tuple | ast.List):
            lengths[name] = len(value.elts)
        elif isinstance(value, ast.Constant) and isinstance(value.value, str):
            lengths[name] = len(value.value)
    return numbers


def _whole(value: ast.expr, numbers: Mapping[str, int], lengths: Mapping[str, int]) -> int | None:
    """Evaluate an expression over constants, or return None if it is no whole number."""
    match value:
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]):
            return lengths.get(name)
        case ast.Constant(value=bool()):
            return None
        case _:
            number = measured(ast.unparse(value), numbers)
            return int(number) if number is not None and number % 1 == 0 else None  # infinity has no rest


def primes() -> Iterator[int]:
    """Yield 2, 3, 5, 7, …, since distinct sizes reveal a transposed shape."""
    smaller: list[int] = []
    for number in count(2):
        if all(number % prime for prime in smaller):
            smaller.append(number)
            yield number
