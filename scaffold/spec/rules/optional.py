"""Uses of a value that may be None, which always run and then fail.

Only statements before any branch are checked, so that no guard of any sort is overlooked.
"""

import ast
from collections.abc import Iterable, Iterator

from scaffold.errors import Fault, shortened
from scaffold.source.expressions import nodes_of, parsed
from scaffold.spec.model import Field, ModuleSpec
from scaffold.spec.rules.pieces import expression_key

_PLAIN = (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return)
"""Statements whose parts are all evaluated, without a branch."""
_LAZY = (
    *(ast.BoolOp, ast.IfExp, ast.Compare, ast.Lambda, ast.NamedExpr),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)
"""Expressions that may leave a part unevaluated, or that test a part before they use it."""


def optional_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """Find optional fields that the call or a derived field uses without a test for None.

    Other methods are skipped, since they may be only for instances that have the field.
    """
    fields = {field.name: field for field in spec.stored if field.optional or field.nullable}
    if not fields:
        return
    if spec.call is not None:
        yield from _faults(parsed(spec.call.body).body, fields, "call.body")
    for derived_field in spec.derived:
        if derived_field.expression:
            body: list[ast.stmt] = [ast.Return(ast.parse(derived_field.expression.strip(), mode="eval").body)]
            yield from _faults(body, fields, f"fields.{derived_field.name}.{expression_key(derived_field)}")


def _faults(body: list[ast.stmt], fields: dict[str, Field], place: str) -> Iterator[Fault]:
    attributes = nodes_of(ast.Attribute, *body)
    assigned = {node.attr for node in attributes if not isinstance(node.ctx, ast.Load)}
    reported: set[str] = set()
    for use, name in _uses(body):
        if name in fields and name not in assigned | reported:
            reported.add(name)
            yield _fault(fields[name], use, place)


def _fault(field: Field, use: ast.expr, place: str) -> Fault:
    when = f"is None where `{field.optional}` is false" if field.optional else "may be None"
    message = f"`self.{field.name}` {when}, and `{shortened(ast.unparse(use))}` fails then"
    return Fault(place, message, f"ask before: `if self.{field.name} is not None:`")


def _uses(body: Iterable[ast.stmt]) -> Iterator[tuple[ast.expr, str]]:
    """Yield each expression that always runs and fails if an attribute of `self` is None, with the
    attribute."""
    for statement in body:
        if not isinstance(statement, _PLAIN):
            return
        for node in _evaluated(statement):
            for operand in _operands(node):
                if isinstance(operand, ast.Attribute) and ast.unparse(operand.value) == "self":
                    yield node, operand.attr
        if isinstance(statement, ast.Return):
            return


def _evaluated(node: ast.AST) -> Iterator[ast.expr]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _LAZY):
            continue
        if isinstance(child, ast.expr):
            yield child
        yield from _evaluated(child)


def _operands(node: ast.expr) -> tuple[ast.expr, ...]:
    """Return the parts of `node` that must not be None."""
    match node:
        case ast.BinOp(left=ast.Constant(value=str()) | ast.JoinedStr(), op=ast.Mod()):
            return ()
        case ast.BinOp(left=left, right=right):
            return (left, right)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Invert(), operand=operand):
            return (operand,)
        case ast.Call(func=function):
            return (function,)
        case ast.Subscript(value=value) | ast.Starred(value=value):
            return (value,)
        case ast.Attribute(value=value, attr=name) if not name.startswith("__"):
            return (value,)
        case _:
            return ()
