"""Functions of a class as callers see them, since a decorator may map or differentiate a function."""

import ast
from collections.abc import Sequence

from msgspec.structs import replace

from scaffold.source.definitions import decorators_of
from scaffold.spec.grammar.named_dims import ROWS
from scaffold.spec.model import Argument, Call, ModuleSpec
from scaffold.spec.skeletons.shapes.algebra.functions import MAPS
from scaffold.suite.examples.mapped import batched

_GRADIENTS = (
    *("grad", "value_and_grad", "filter_grad", "filter_value_and_grad", "filter_jvp", "filter_vjp"),
    *("hessian", "jacfwd", "jacrev", "jacobian", "filter_hessian", "filter_jacfwd", "filter_jacrev"),
)


def as_called(spec: ModuleSpec) -> ModuleSpec:
    """Return the spec whose call and methods have the types of the decorated functions."""
    call = spec.call and _outside(spec.call, decorators_of(spec.call.source))
    methods = tuple(replace(method, call=_outside(method.call, method.decorators)) for method in spec.methods)
    if call is spec.call and all(
        new.call is old.call for new, old in zip(methods, spec.methods, strict=True)
    ):
        return spec  # with all that is worked out of it
    return replace(spec, call=call, methods=methods)


def _outside(call: Call, decorators: Sequence[str]) -> Call:
    """Return the call as it is outside its decorators, the innermost applied first."""
    for decorator in reversed(decorators):
        name, keywords = _transformation(decorator)
        if name in _GRADIENTS:
            call = replace(call, returns=())
        elif name in MAPS:
            call = _mapped(call, keywords, has_owner="staticmethod" not in decorators)
    return call


def _transformation(decorator: str) -> tuple[str, dict[str, ast.expr]]:
    """Return the last name of a decorator, even behind `partial`, and its keywords."""
    node = ast.parse(decorator, mode="eval").body
    keywords: dict[str, ast.expr] = {}
    if isinstance(node, ast.Call):
        keywords = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
        is_partial = _last_name(node.func) == "partial" and node.args
        node = node.args[0] if is_partial else node.func
    return _last_name(node), keywords


def _last_name(node: ast.expr) -> str:
    return ast.unparse(node).rpartition(".")[2]


def _mapped(call: Call, keywords: dict[str, ast.expr], *, has_owner: bool) -> Call:
    """Return the call over rows of the mapped arguments.

    The types are dropped if an axis is not a literal 0 or None, or if the instance is mapped.
    """
    axes = _axes(keywords.get("in_axes"), len(call.args) + has_owner)
    owners, axes = axes[:has_owner], axes[has_owner:]
    outer = _axes(keywords.get("out_axes"), 1)
    if owners == [0] or any(axis not in (0, None) for axis in (*owners, *axes)):
        return replace(call, args=tuple(replace(argument, type=None) for argument in call.args), returns=())
    args = tuple(_over_rows(argument, axis) for argument, axis in zip(call.args, axes, strict=True))
    returns = tuple(batched(kind, ROWS) for kind in call.returns) if outer == [0] else ()
    return replace(call, args=args, returns=returns)


def _over_rows(argument: Argument, axis: object) -> Argument:
    if axis is None or argument.type is None:
        return argument
    return replace(argument, type=batched(argument.type, ROWS))


def _axes(node: ast.expr | None, number: int) -> list[object]:
    """Return the axis of each of `number` arguments: 0 by default, and `...` if it is not a literal."""
    match node:
        case None:
            return [0] * number
        case ast.Tuple(elts=parts) if len(parts) == number:
            return [_axis(part) for part in parts]
        case _:
            return [_axis(node)] * number


def _axis(node: ast.expr) -> object:
    return node.value if isinstance(node, ast.Constant) else ...
