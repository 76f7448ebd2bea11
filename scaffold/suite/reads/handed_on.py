"""Fields that a method passes on unchanged to the instance that it returns, read off its body."""

import ast

from scaffold.kind import kind_of
from scaffold.source.expressions import dedented
from scaffold.source.instance import SETTERS, attributes_set, last_name
from scaffold.spec.model import Call, ModuleSpec

Kept = frozenset[str]


def handed_on(spec: ModuleSpec, call: Call) -> list[str]:
    """Return the fields that each return of a method passes on, or none if a return is not understood."""
    body = ast.parse(dedented(call.body)).body
    ends = [node for statement in body for node in ast.walk(statement) if isinstance(node, ast.Return)]
    if kind_of(spec.kind).variables or not ends:
        return []
    names = _assigned_once(body)
    kept = [_kept_by(spec, end.value, names) or Kept() for end in ends]
    lost = _set_later(spec, body)
    return [field.name for field in spec.stored if all(field.name in each - lost for each in kept)]


def _set_later(spec: ModuleSpec, body: list[ast.stmt]) -> Kept:
    """Return the fields that a body assigns in an instance, or all if it computes the name of one."""
    nodes = [node for statement in body for node in ast.walk(statement)]
    stores = {n.attr for n in nodes if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)}
    calls = [node for node in nodes if isinstance(node, ast.Call) and last_name(node) in SETTERS]
    named = [{*attributes_set(call)} for call in calls]
    every = [] if all(named) else [field.name for field in spec.stored]
    return Kept().union(stores, every, *named)


def _assigned_once(body: list[ast.stmt]) -> dict[str, ast.expr]:
    """Return the values of names that exactly one statement assigns."""
    nodes = [node for statement in body for node in ast.walk(statement)]
    stored = [node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    return {
        node.targets[0].id: node.value
        for node in nodes
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        if stored.count(node.targets[0].id) == 1
    }


def _kept_by(spec: ModuleSpec, value: ast.expr | None, names: dict[str, ast.expr]) -> Kept | None:
    """Return the fields that an instance has of `self`, or None if the value is no such instance."""
    match value:
        case ast.Name(id="self"):
            return frozenset(field.name for field in spec.stored)
        case ast.Name(id=name) if name in names:
            return _kept_by(spec, names[name], {n: v for n, v in names.items() if n != name})
        case ast.Tuple(elts=[first, *_]):
            return _kept_by(spec, first, names)
        case ast.Call(func=function, args=args, keywords=keywords):
            return _kept_by_call(spec, ast.unparse(function), args, keywords)
        case _:
            return None


def _replaced(spec: ModuleSpec, where: ast.expr) -> Kept:
    """Return the fields that `eqx.tree_at` replaces, or all dynamic fields if no lambda names them."""
    every = frozenset(field.name for field in spec.dynamic)
    if not isinstance(where, ast.Lambda) or len(where.args.args) != 1:
        return every
    instance = where.args.args[0].arg
    nodes = [*ast.walk(where.body)]
    roots = [n.attr for n in nodes if isinstance(n, ast.Attribute) and ast.unparse(n.value) == instance]
    reads = [node for node in nodes if isinstance(node, ast.Name) and node.id == instance]
    return frozenset(roots) if len(roots) == len(reads) else every


def _kept_by_call(
    spec: ModuleSpec, function: str, args: list[ast.expr], keywords: list[ast.keyword]
) -> Kept | None:
    given = {keyword.arg: keyword.value for keyword in keywords if keyword.arg}
    is_whole = len(given) == len(keywords) and not any(isinstance(a, ast.Starred) for a in args)
    stored = [field.name for field in spec.stored]
    if (
        function in ("dataclasses.replace", "replace")
        and is_whole
        and list(map(ast.unparse, args)) == ["self"]
    ):
        return frozenset(name for name in stored if name not in given)
    if function in ("eqx.tree_at", "equinox.tree_at") and len(args) > 1 and ast.unparse(args[1]) == "self":
        return frozenset(stored) - _replaced(spec, args[0])
    makes = function in (spec.name, "type(self)", "self.__class__") and spec.constructor == "factory"
    if not (makes and is_whole and len(args) + len(given) == len(stored)):
        return None
    values = {**dict(zip(stored, args, strict=False)), **given}
    return frozenset(n for n in stored if n in values and ast.unparse(values[n]) == f"self.{n}")
