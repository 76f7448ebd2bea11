"""Insertion of a dtype into calls that create arrays, as in `jnp.zeros(n, dtype)`."""

import ast
from collections.abc import Collection

from scaffold.emit.constructor.source import parsed
from scaffold.source.rewriting import Edit, end_of, spliced

_PLACES = {
    **dict.fromkeys(("jnp.zeros", "jnp.ones", "jnp.empty", "jnp.identity"), 1),
    **dict.fromkeys(("jnp.full", "jax.random.normal", "jax.random.uniform"), 2),
}
"""Functions that take a dtype by position, with the number of arguments before it."""
_BY_NAME = ("jnp.eye", "jnp.arange", "jnp.linspace", "jnp.logspace", "jax.random.truncated_normal")
"""Functions that take a dtype by keyword."""
_KEEPING = tuple(
    f"jnp.{name}" for name in ("exp", "expm1", "log", "log1p", "sqrt", "square", "sin", "cos", "tanh")
)
"""Functions whose result has the dtype of their only argument."""
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div)


def with_dtype(source: str, dtype: str, numbers: Collection[str]) -> str | None:
    """Add the dtype to the calls that create arrays, or return None if others may decide the dtype.

    `numbers` are names of Python numbers, beside which an array keeps its dtype.
    """
    makers = _makers(parsed(source), numbers)
    return None if makers is None else spliced(source, (_with_argument(maker, dtype) for maker in makers))


def _makers(node: ast.expr, numbers: Collection[str]) -> list[ast.Call] | None:
    """Return the calls that decide the dtype of an expression, or None if other parts may."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return _makers(inner, numbers)
        case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _OPERATORS):
            parts = [part for part in (left, right) if not _is_number(part, numbers)]
            made = [_makers(part, numbers) for part in parts]
            known = [calls for calls in made if calls is not None]
            return [call for calls in known for call in calls] if known and len(known) == len(made) else None
        case ast.Call(func=function, args=[inner], keywords=[]) if ast.unparse(function) in _KEEPING:
            return _makers(inner, numbers)
        case ast.Call(func=ast.Attribute(attr="full"), args=[_, value, *_]) if not _is_number(value, numbers):
            return None  # it may be that array
        case ast.Call():
            return [node] if _takes_dtype(node) else None
        case _:
            return None


def _takes_dtype(call: ast.Call) -> bool:
    """Whether a call creates an array and may take a dtype that it does not state yet."""
    name = ast.unparse(call.func)
    says = any(keyword.arg in ("dtype", None) for keyword in call.keywords)
    is_short = 0 < len(call.args) <= _PLACES.get(name, 0) or (name in _BY_NAME and len(call.args) > 0)
    return is_short and not says and not any(isinstance(part, ast.Starred) for part in call.args)


def _is_number(node: ast.expr, numbers: Collection[str]) -> bool:
    """Whether the expression is a Python number."""
    match node:
        case ast.Constant(value=int() | float()):
            return True
        case ast.Name(id=name):
            return name in numbers
        case ast.BinOp(left=left, right=right):
            return _is_number(left, numbers) and _is_number(right, numbers)
        case ast.UnaryOp(operand=inner):
            return _is_number(inner, numbers)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="math"))):
            return True
        case _:
            return False


def _with_argument(call: ast.Call, dtype: str) -> Edit:
    """Return the edit that adds a dtype after the last argument."""
    by_place = not call.keywords and len(call.args) == _PLACES.get(ast.unparse(call.func))
    last = end_of([*call.args, *(keyword.value for keyword in call.keywords)][-1])
    return last, last, f", {dtype}" if by_place else f", dtype={dtype}"
