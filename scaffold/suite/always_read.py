"""Which attributes of an instance statements read, whichever branch they take: what a result must follow."""

import ast

_FORMS = ("shape", "dtype", "ndim", "size")
"""Attributes of an array that its values do not decide."""
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
"""Functions of the form of what they are given first."""


def always_read(body: list[ast.stmt], *, beside_updates: bool = False) -> set[str]:
    """The attributes of `self` that statements read, whichever branch is taken and wherever they return.

    `beside_updates` leaves out what a statement reads of an attribute to assign it anew.
    """
    names: set[str] = set()
    for index, statement in enumerate(body):
        if isinstance(statement, ast.If | ast.Match):
            rest = body[index + 1 :] if _returns(statement) else []
            asked, branches = _branches(statement)
            ways = (always_read([*branch, *rest], beside_updates=beside_updates) for branch in branches)
            names |= _read_in_every_case(asked) | set[str].intersection(*ways)
            if rest:
                return names
        else:
            read = _read_in_every_case(statement)
            names |= {name for name in read if not (beside_updates and assigns(statement, name))}
        if isinstance(statement, ast.Return):
            return names
    return names


def _branches(statement: ast.If | ast.Match) -> tuple[ast.expr, list[list[ast.stmt]]]:
    """What a statement asks, and its branches, with that of no case where cases may leave one over."""
    if isinstance(statement, ast.If):
        return statement.test, [statement.body, statement.orelse]
    branches = [case.body for case in statement.cases]
    last = statement.cases[-1]
    takes_all = last.guard is None and isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None
    return statement.subject, branches if takes_all else [*branches, []]


def _returns(node: ast.AST) -> bool:
    """Whether the function itself may return there."""
    if isinstance(node, ast.FunctionDef | ast.Lambda):
        return False
    return isinstance(node, ast.Return) or any(map(_returns, ast.iter_child_nodes(node)))


def _read_in_every_case(node: ast.AST) -> set[str]:
    """The attributes of `self` that an expression, or a statement without branches of its own, reads."""
    match node:
        case ast.If() | ast.Match():
            return always_read([node])
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return _read_in_every_case(test) | (_read_in_every_case(body) & _read_in_every_case(orelse))
        case ast.BoolOp(values=[first, *_]):
            return _read_in_every_case(first)
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            return {name}
        case ast.Attribute(attr=form) if form in _FORMS:
            return set()
        case ast.Call(func=function, args=[_, *rest]) if _name_of(function) in _OF_FORMS:
            return set[str]().union(*map(_read_in_every_case, rest))
        case _:
            parts = map(_read_in_every_case, ast.iter_child_nodes(node))
            return set[str]().union(*parts)


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
