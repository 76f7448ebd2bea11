"""Attributes of an instance that statements read on every branch, so that a result must depend on them."""

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from scaffold.source.branches import Given, decided
from scaffold.source.expressions import bound_value, nodes_of

_FORMS = ("shape", "dtype", "ndim", "size")
"""Attributes of an array that do not depend on its values."""
_OF_FORMS = (
    *_FORMS,
    "len",
    "isinstance",
    "zeros_like",
    "ones_like",
    "full_like",
    "empty_like",
    "result_type",
)
"""Functions that read only the form of their first argument."""
_DEFINES_RULES = ("defvjp", "defjvp", "defjvps")


class _Known(NamedTuple):
    """Facts at a statement: constants, and the attributes of which each local is made in every case."""

    given: Given
    made_of: Mapping[str, set[str]]


def always_read(
    body: list[ast.stmt], given: Given | None = None, *, beside_updates: bool = False
) -> set[str]:
    """Return the attributes of `self` that statements read, whichever branch is taken.

    `given` decides branches. A local that is read counts as the attributes of which it is made.
    `beside_updates` leaves out reads of an attribute by its own assignment.
    """
    rules = {ast.unparse(rule) for call in _rules(body) for rule in call.args}
    forward = [part for part in body if getattr(part, "name", None) not in rules]
    return _read_by(forward, _Known(given or {}, {}), beside_updates)[0]


def _rules(body: list[ast.stmt]) -> Iterator[ast.Call]:
    """Yield the calls that name rules of derivatives: `function.defvjp(forward, backward)`."""
    return (call for call in nodes_of(ast.Call, *body) if _name_of(call.func) in _DEFINES_RULES)


def _read_by(
    body: list[ast.stmt], known: _Known, beside_updates: bool = False
) -> tuple[set[str], Mapping[str, set[str]]]:
    """Return the attributes that statements always read, and the attributes of which locals are then made."""
    names = set[str]()
    for index, statement in enumerate(body):
        if isinstance(statement, ast.If | ast.Match):
            rest = body[index + 1 :] if _returns(statement) else []
            asked, branches = _branches(statement, known)
            ways = [_read_by([*branch, *rest], known, beside_updates) for branch in branches]
            names |= _read_in_every_case(asked, known) | set[str].intersection(*(read for read, _ in ways))
            known = known._replace(made_of=_in_each([made_of for _, made_of in ways]))
            if rest:
                return names, known.made_of
        elif (local := bound_value(statement)) is not None:
            name, value = local
            known = known._replace(made_of={**known.made_of, name: _read_in_every_case(value, known)})
        else:
            read = _read_in_every_case(statement, known)
            names |= {name for name in read if not (beside_updates and assigns(statement, name))}
        if isinstance(statement, ast.Return):
            return names, known.made_of
    return names, known.made_of


def _in_each(ways: list[Mapping[str, set[str]]]) -> dict[str, set[str]]:
    """Return the attributes of which each local is made, whichever branch was taken."""
    names = {name for made_of in ways for name in made_of}
    return {name: set[str].intersection(*(made_of.get(name, set()) for made_of in ways)) for name in names}


def _branches(statement: ast.If | ast.Match, known: _Known) -> tuple[ast.expr, list[list[ast.stmt]]]:
    """Return the expression that a statement tests, and its branches.

    A `match` that may skip all its cases has an empty branch.
    """
    if isinstance(statement, ast.If):
        is_true = decided(statement.test, known.given)
        if is_true is None:
            return statement.test, [statement.body, statement.orelse]
        return ast.Constant(is_true), [statement.body if is_true else statement.orelse]
    branches = [case.body for case in statement.cases]
    last = statement.cases[-1]
    takes_all = last.guard is None and isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None
    return statement.subject, branches if takes_all else [*branches, []]


def _returns(node: ast.AST) -> bool:
    """Whether the function itself may return inside a node."""
    if isinstance(node, ast.FunctionDef | ast.Lambda):
        return False
    return isinstance(node, ast.Return) or any(map(_returns, ast.iter_child_nodes(node)))


def _read_in_every_case(node: ast.AST, known: _Known) -> set[str]:
    """Return the attributes of `self` that an expression or a statement reads in every case."""
    match node:
        case ast.If() | ast.Match():
            return _read_by([node], known)[0]
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return _read_in_either(test, body, orelse, known)
        case ast.BoolOp(values=[first, *_]):
            return set() if decided(node, known.given) is not None else _read_in_every_case(first, known)
        case ast.BinOp(op=ast.Pow(), right=ast.Name() as power):  # which may be 0
            return _read_in_every_case(power, known)
        case ast.Name(id=name, ctx=ast.Load()) if name in known.made_of:
            return known.made_of[name]
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            return {name}
        case ast.Attribute(attr=form) if form in _FORMS:
            return set()
        case ast.Call(func=function) if _name_of(function) in _DEFINES_RULES:
            return set()
        case ast.Call(func=function, args=[_, *rest]) if _name_of(function) in _OF_FORMS:
            return set[str]().union(*(_read_in_every_case(part, known) for part in rest))
        case _:
            parts = (_read_in_every_case(part, known) for part in ast.iter_child_nodes(node))
            return set[str]().union(*parts)


def _read_in_either(test: ast.expr, body: ast.expr, orelse: ast.expr, known: _Known) -> set[str]:
    is_true = decided(test, known.given)
    if is_true is not None:
        return _read_in_every_case(body if is_true else orelse, known)
    both = _read_in_every_case(body, known) & _read_in_every_case(orelse, known)
    return _read_in_every_case(test, known) | both


def _name_of(function: ast.expr) -> str:
    match function:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def assigns(node: ast.AST, name: str) -> bool:
    """Whether a statement assigns `self.name`, or `self.name[...]`."""
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    parts = [part for target in targets if target is not None for part in ast.walk(target)]
    return isinstance(node, ast.stmt) and any(_is_of_self(part, name) for part in parts)


def reads_attribute(node: ast.AST, name: str) -> bool:
    return _is_of_self(node, name) and isinstance(getattr(node, "ctx", None), ast.Load)


def _is_of_self(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Attribute(value=ast.Name(id="self"), attr=attr):
            return attr == name
        case _:
            return False
