"""Local names of a constructor for callables, such as `linear = partial(nnx.Linear, use_bias=False)`."""

import ast
import copy
from collections.abc import Iterator, Mapping

from scaffold.source.definitions import parameters_with_defaults
from scaffold.source.expressions import Function, own_nodes, parsed
from scaffold.source.instance import arguments_by_name, last_name, made_attributes

_LEVELS = 5
"""Limit of names to follow, since a name may stand for another."""


def unfolded(function: Function) -> Function:
    """Replace calls of local names by calls of the class, partial or expression that these names stand
    for."""
    makers = dict(_makers(function))
    return _Unfolding(makers).visit(copy.deepcopy(function)) if makers else function


def unfolded_attributes(code: str | Function) -> Iterator[tuple[str, ast.expr]]:
    """Yield the attributes of `self` that functions assign, with unfolded values."""
    for function in parsed(code).body if isinstance(code, str) else [code]:
        if isinstance(function, Function):
            yield from made_attributes(unfolded(function))


def _makers(function: Function) -> Iterator[tuple[str, ast.expr]]:
    """Yield the local names that stand for callables, also arguments whose default is a class."""
    for argument, default in parameters_with_defaults(function):
        if isinstance(default, ast.Name | ast.Attribute) and last_name(default)[:1].isupper():
            yield argument.arg, default
    for node in own_nodes(function.body):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if _is_maker(value):
                yield name, value
            case ast.FunctionDef(name=name, args=arguments, body=[*_, ast.Return(value=ast.expr() as value)]):
                yield name, ast.Lambda(arguments, value)
            case _:
                pass


def _is_maker(value: ast.expr) -> bool:
    match value:
        case ast.Lambda() | ast.Attribute():
            return True
        case ast.Name(id=name):
            return name[:1].isupper()
        case ast.IfExp(body=body, orelse=other):
            return _is_maker(body) and _is_maker(other)
        case _:
            return _partial(value) is not None


def _partial(value: ast.expr) -> ast.Call | None:
    """Return a partial as a call with the arguments bound so far, or None."""
    match value:
        case ast.Call(func=function, args=[made, *given], keywords=keywords):
            is_partial = ast.unparse(function).rpartition(".")[2] in ("partial", "Partial")
            return ast.Call(made, given, keywords) if is_partial else None
        case _:
            return None


class _Unfolding(ast.NodeTransformer):
    def __init__(self, makers: Mapping[str, ast.expr], level: int = 0):
        self.makers, self.level = makers, level

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        maker = self.makers.get(node.func.id) if isinstance(node.func, ast.Name) else None
        if maker is None or self.level == _LEVELS:
            return node
        called = copy.deepcopy(_called(maker, node))
        return _Unfolding(self.makers, self.level + 1).visit(called)


def _called(maker: ast.expr, call: ast.Call) -> ast.expr:
    """Return the expression to which a call of a maker amounts."""
    if isinstance(maker, ast.IfExp):
        return _called(maker.body, call)
    if isinstance(maker, ast.Lambda):
        return substituted(maker.body, _given(maker.args, call))
    inner = _partial(maker)
    if inner is None:
        return ast.Call(maker, call.args, call.keywords)
    own = {keyword.arg for keyword in call.keywords}
    kept = [keyword for keyword in inner.keywords if keyword.arg not in own]
    return ast.Call(inner.func, [*inner.args, *call.args], [*kept, *call.keywords])


def _given(arguments: ast.arguments, call: ast.Call) -> dict[str, ast.expr]:
    """Map the parameters of a lambda to the arguments of a call."""
    places = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    return dict(arguments_by_name(call, places))


def substituted(expression: ast.expr, values: Mapping[str, ast.expr]) -> ast.expr:
    """Return a copy of an expression with values in place of names."""
    return _Substitution(values).visit(copy.deepcopy(expression))


class _Substitution(ast.NodeTransformer):
    def __init__(self, values: Mapping[str, ast.expr]):
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.values.get(node.id, node)
