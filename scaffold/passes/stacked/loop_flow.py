"""Flow of values through a loop over layers: the carry, and collected entries."""

import ast
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from scaffold.source.expressions import local_names, own_names, own_nodes


class Flow(Struct, frozen=True):
    """Names that a loop changes for the code around it."""

    carried: tuple[str, ...]
    """Names of the carry, in the order of their first assignment."""
    collected: tuple[str, ...]
    """Lists that are empty before the loop and get an entry from each layer."""
    unbound: tuple[str, ...]
    """Names bound only in the loop but read below, for which a scan has no first value."""
    leaked: tuple[str, ...] = ()
    """Names that each layer mutates, which a scan would do only once, with a tracer."""


def flow_of(loop: ast.For, body: Sequence[ast.stmt], arguments: Sequence[str]) -> Flow:
    """Return the flow of `loop` in a function with this body and these arguments."""
    collected = tuple(name for name in _appended(loop) if _is_empty_before(name, loop, body))
    before = {*arguments, *_stored(_others(body, loop), lambda line: line <= loop.lineno)}
    behind = _read_behind(loop, body)
    assigned = [name for name in _assigned(loop) if name not in collected]
    carried = tuple(
        name for name in assigned if name in before and (name in behind or name in _read_first(loop.body))
    )
    unbound = tuple(name for name in assigned if name in behind and name not in before)
    leaked = tuple(name for name in _mutated(loop) if name in before and name not in collected)
    return Flow(carried, collected, unbound, leaked)


def appends(statement: ast.stmt) -> tuple[str, ast.expr] | None:
    """Return the list and the entry of `NAME.append(ENTRY)`, or None."""
    match statement:
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[entry], keywords=[]
            )
        ):
            return name, entry
        case _:
            return None


def _appended(loop: ast.For) -> tuple[str, ...]:
    """Return the lists to which the loop's body appends exactly once, outside of branches."""
    names = [pair[0] for pair in map(appends, loop.body) if pair is not None]
    return tuple(name for name in names if names.count(name) == 1)


_MUTATORS = frozenset(("add", "append", "appendleft", "extend", "insert", "pop", "setdefault", "update"))


def _mutated(loop: ast.For) -> tuple[str, ...]:
    """Return the names that statements of the body mutate by a method."""
    statements = (node for node in own_nodes(loop.body) if isinstance(node, ast.Expr))
    calls = (node.value.func for node in statements if isinstance(node.value, ast.Call))
    names = (
        func.value.id
        for func in calls
        if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.attr in _MUTATORS
    )
    return tuple(dict.fromkeys(names))


def _is_empty_before(name: str, loop: ast.For, body: Sequence[ast.stmt]) -> bool:
    """Whether the last assignment above the loop is `[]`."""
    statements = (node for node in own_nodes(body) if isinstance(node, ast.stmt))
    above = [node for node in statements if _assigns(node, name) and node.lineno < loop.lineno]
    last = max(above, key=lambda node: node.lineno, default=None)
    value = getattr(last, "value", None)
    return isinstance(value, ast.List) and not value.elts


def _assigns(node: ast.AST, name: str) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return any(isinstance(target, ast.Name) and target.id == name for target in targets)


def _assigned(loop: ast.For) -> tuple[str, ...]:
    """Return the names that the body binds, in order, without the loop's targets."""
    names = (
        node.id for statement in loop.body for node in own_names(statement) if isinstance(node.ctx, ast.Store)
    )
    targets = local_names([loop.target])
    return tuple(dict.fromkeys(name for name in names if name not in targets))


def _read_first(statements: Sequence[ast.stmt]) -> frozenset[str]:
    """Return the names whose former values the statements may read."""
    bound, read = set[str](), set[str]()
    for statement in statements:
        names = list(own_names(statement))
        read |= {node.id for node in names if isinstance(node.ctx, ast.Load)} - bound
        if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            read |= {statement.target.id} - bound
        if not hasattr(statement, "body"):  # a branch may bind or not
            bound |= {node.id for node in names if isinstance(node.ctx, ast.Store)}
        else:
            read |= {node.id for node in names if isinstance(node.ctx, ast.Store)} - bound
    return frozenset(read)


def _read_behind(loop: ast.For, body: Sequence[ast.stmt]) -> frozenset[str]:
    """Return the names that are read below the loop, or anywhere in an enclosing loop."""
    around = [
        node
        for node in own_nodes(body)
        if isinstance(node, ast.For | ast.While) and node is not loop and loop in ast.walk(node)
    ]
    end = loop.end_lineno or loop.lineno
    looped = {id(name) for node in around for name in ast.walk(node)}
    rest = (node for node in _others(body, loop) if isinstance(node.ctx, ast.Load))
    return frozenset(node.id for node in rest if node.lineno > end or id(node) in looped)


def _others(body: Sequence[ast.stmt], loop: ast.For) -> list[ast.Name]:
    """Return the names of the function outside of the loop."""
    inside = {id(node) for node in ast.walk(loop)}
    every = (node for statement in body for node in own_names(statement))
    return [node for node in every if id(node) not in inside]


def _stored(names: Sequence[ast.Name], where: Callable[[int], bool]) -> Iterator[str]:
    return (node.id for node in names if isinstance(node.ctx, ast.Store) and where(node.lineno))
