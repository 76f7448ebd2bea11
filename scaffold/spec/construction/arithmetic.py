"""Arithmetic over sizes: a dim such as `4*hidden`, a deviation such as `1 / sqrt(3 * in_size)`."""

import ast
import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

_OPERATIONS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: left * right,
    ast.Div: lambda left, right: left / right,
    ast.FloorDiv: lambda left, right: left // right,
    ast.Mod: lambda left, right: left % right,
    ast.Pow: math.pow,
}
FUNCTIONS: dict[str, Callable[..., float]] = {"sqrt": math.sqrt, "log": math.log, "max": max, "min": min}
_CONSTANTS = {"math.pi": math.pi, "math.e": math.e, "math.tau": math.tau}


def evaluate(source: str, sizes: Mapping[str, int]) -> Any:
    """The number that an expression is. Raises `KeyError` where a name or a function is not known, and as Python does."""
    return _number(_parsed(source), sizes)


def measured(source: str, sizes: Mapping[str, int]) -> float | None:
    """The number that an expression is; None where only running it would tell."""
    try:
        return float(evaluate(source, sizes))
    except (KeyError, TypeError, ValueError, ArithmeticError, SyntaxError, RecursionError, MemoryError):
        return None


@cache
def _parsed(source: str) -> ast.expr:
    return ast.parse(source.strip(), mode="eval").body


def _number(node: ast.expr, sizes: Mapping[str, int]) -> Any:
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
        case ast.Call(func=function, args=arguments, keywords=[]):
            name = ast.unparse(function).removeprefix("math.")
            return FUNCTIONS[name](*(_number(argument, sizes) for argument in arguments))
        case _:
            raise KeyError(ast.unparse(node))
