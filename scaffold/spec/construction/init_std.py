"""How widely a field is drawn around 0: what its initialiser or its `std` says, with the sizes that the tests use."""

import ast
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from scaffold.errors import Fault
from scaffold.spec.construction.constructor import dims_of, key_consumers
from scaffold.spec.construction.sizes import sizes
from scaffold.spec.model import Field, ModuleSpec
from scaffold.spec.source.expressions import assigned_names, draws_from

_ARITHMETIC: dict[type, Callable[[float, float], float]] = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: left * right,
    ast.Div: lambda left, right: left / right,
    ast.FloorDiv: lambda left, right: left // right,
    ast.Pow: math.pow,
}
_FUNCTIONS: dict[str, Callable[..., float]] = {"sqrt": math.sqrt, "log": math.log, "max": max, "min": min}
_CONSTANTS = {"math.pi": math.pi, "math.e": math.e, "math.tau": math.tau}
_LEGAL = ("numbers", "sizes of dims", "+ - * / // **", *(f"{name}(...)" for name in _FUNCTIONS))


def measured(source: str, sized: Mapping[str, int]) -> float | None:
    """The number that an expression over sizes is; None where only running it would tell."""
    try:
        return float(_number(ast.parse(source.strip(), mode="eval").body, sized))
    except (KeyError, TypeError, ValueError, ArithmeticError, SyntaxError, RecursionError, MemoryError):
        return None


def _number(node: ast.expr, sized: Mapping[str, int]) -> float:
    match node:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.Name(id=name):
            return sized[name]
        case ast.Attribute():
            return _CONSTANTS[ast.unparse(node)]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_number(operand, sized)
        case ast.BinOp(left=left, op=op, right=right):
            return _ARITHMETIC[type(op)](_number(left, sized), _number(right, sized))
        case ast.Call(func=function, args=arguments, keywords=[]):
            name = ast.unparse(function).removeprefix("math.")
            return _FUNCTIONS[name](*(_number(one, sized) for one in arguments))
        case _:
            raise ValueError(ast.unparse(node))


def std_faults(spec: ModuleSpec, field: Field, place: str) -> Iterator[Fault]:
    """What is wrong with the `std` of a field."""
    if field.std is None:
        return
    if field.array is None or not field.array.inexact or not _is_drawn(spec, field):
        fix = "remove it, or give the field an `init` that draws from `key`"
        yield Fault(f"{place}.std", "nothing of the field is drawn, so it has no deviation", fix)
        return
    value = measured(field.std, _every_size(spec))
    if value is None or not 0 < value < math.inf:
        what = f"`{_short(field.std)}` is {'no number' if value is None else value} in the tests"
        fix = "write a positive number, or arithmetic over sizes, such as `1 / sqrt(3 * in_size)`"
        yield Fault(f"{place}.std", what, fix, _LEGAL + tuple(sorted(_every_size(spec))))


def _every_size(spec: ModuleSpec) -> dict[str, Any]:
    known = sizes(spec)
    return {name: known[name] for name in (*dims_of(spec), *known) if name in known}


def _is_drawn(spec: ModuleSpec, field: Field) -> bool:
    consumers = key_consumers(spec)
    from_setup = "setup" in consumers and field.expression is not None
    streams = field.expression is not None and draws_from(field.expression, "rngs")
    return field.name in consumers or from_setup or streams or field.name in assigned_names(spec.setup)


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."
