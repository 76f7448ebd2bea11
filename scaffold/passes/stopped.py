"""Ways by which values reach a body's result: free, behind `stop_gradient`, or unsure."""

import ast
from collections.abc import Iterable, Iterator
from typing import Literal

from msgspec import Struct

from scaffold.passes.reached import bodies_used, stops_a_value
from scaffold.source.expressions import nodes_of, own_nodes, parsed
from scaffold.source.instance import attribute_of_self, calls, last_name
from scaffold.spec.model import ModuleSpec

Way = Literal["free", "stopped", "unsure"]
Read = tuple[str, Way]

_SHAPES = frozenset(("shape", "ndim", "size", "dtype"))
_ASKING = (
    "len",
    "isinstance",
    "shape",
    "ndim",
    "size",
    "zeros_like",
    "ones_like",
    "full_like",
    "isnan",
    "isfinite",
)
_CHOOSING = (
    "argmax",
    "argmin",
    "argsort",
    "argpartition",
    "searchsorted",
    "digitize",
    "nonzero",
    "unique",
    "top_k",
)
_ROUNDING = ("round", "rint", "floor", "ceil", "sign", "astype", "one_hot", "categorical", "bernoulli")
_WITHOUT_SLOPE = frozenset((*_ASKING, *_CHOOSING, *_ROUNDING))
"""Functions whose output has no slope in their input, at least at times, so that no gradient need flow."""


def ways_of(spec: ModuleSpec, body: str) -> dict[str, set[Way]]:
    """Return the ways by which names and fields (as `self.name`) reach the result of a body."""
    flow = _flow_of(spec, body)
    ways: dict[str, set[Way]] = {}
    waiting = list(flow.given)
    while waiting:
        name, way = waiting.pop()
        if way not in ways.setdefault(name, set()):
            ways[name].add(way)
            waiting.extend((other, _joined(way, then)) for other, then in flow.bound.get(name, ()))
    for name in flow.rebound & ways.keys():
        ways[name] = {"unsure"}
    return ways


def _joined(first: Way, second: Way) -> Way:
    both = {first, second}
    return "stopped" if "stopped" in both else "unsure" if "unsure" in both else "free"


class _Flow(Struct, frozen=True):
    """Reads behind a body's result, reads behind each local, and the names that it binds."""

    given: list[Read]
    bound: dict[str, list[Read]]
    rebound: set[str]


def _flow_of(spec: ModuleSpec, body: str) -> _Flow:
    tree = parsed(body)
    reads = _Reads(spec, _local_stops(tree))
    flow = _Flow([], {}, {node.arg for node in nodes_of(ast.arg, tree)})
    for node in own_nodes(tree.body):
        _bind(node, reads, flow)
    functions = [*nodes_of(ast.FunctionDef, tree)]
    for function in functions:
        inner = _Flow([], flow.bound, flow.rebound)
        for node in own_nodes(function.body):
            _bind(node, reads, inner)
        flow.bound.setdefault(function.name, []).extend(inner.given)
    return flow


def _bind(node: ast.AST, reads: "_Reads", flow: _Flow) -> None:
    """Record the names that a node binds, or its part in the result."""
    match node:
        case ast.Return(value=ast.expr() as value):
            flow.given.extend(reads.of(value))
        case ast.Assign(targets=targets, value=value):
            _assign(targets, [*reads.of(value)], flow)
        case (
            ast.AnnAssign(target=target, value=ast.expr() as value)
            | ast.NamedExpr(target=target, value=value)
        ):
            _assign([target], [*reads.of(value)], flow)
        case ast.AugAssign(target=target, value=value):
            _assign([target], [*reads.of(value)], flow)
        case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
            _assign([target], [*reads.of(value)], flow)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner)) as call):
            _assign([owner], [*reads.of(call)], flow)  # `rows.append(x)`
        case _:
            pass


def _assign(targets: Iterable[ast.expr], made_of: list[Read], flow: _Flow) -> None:
    """Record assignments to names. Assignments to `self` count as part of the result."""
    for target in targets:
        names = [node.id for node in nodes_of(ast.Name, target) if isinstance(node.ctx, ast.Store)]
        held = target
        while isinstance(held, ast.Subscript | ast.Attribute):
            held = held.value
        if isinstance(held, ast.Name) and held.id == "self":
            flow.given.extend(made_of)
        elif isinstance(held, ast.Name):
            names.append(held.id)
        for name in names:
            flow.bound.setdefault(name, []).extend(made_of)
            flow.rebound.add(name)


def _local_stops(tree: ast.AST) -> frozenset[str]:
    """Return the inner functions that apply `stop_gradient`, which their calls do not show."""
    functions = [(node.name, node) for node in nodes_of(ast.FunctionDef, tree)]
    functions += [
        (node.targets[0].id, node.value)
        for node in nodes_of(ast.Assign, tree)
        if isinstance(node.targets[0], ast.Name) and any(nodes_of(ast.Lambda, node.value))
    ]
    return frozenset(name for name, node in functions if _has_stop(node))


def _has_stop(tree: ast.AST) -> bool:
    return any(calls(node, "stop_gradient") for node in ast.walk(tree))


class _Reads(Struct, frozen=True):
    """Names and fields that expressions read, with their ways."""

    spec: ModuleSpec
    local_stops: frozenset[str]

    def of(self, node: ast.AST, way: Way = "free") -> Iterator[Read]:
        """Yield the reads below a node, except in comparisons and for shapes and dtypes."""
        if isinstance(node, ast.Compare) or (isinstance(node, ast.Attribute) and node.attr in _SHAPES):
            return
        if isinstance(node, ast.Call):
            way = self._way_of_call(node, way)
        if (field := attribute_of_self(node, ast.Load)) is not None:
            yield from self._of_field(field, way)
            return
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id, _joined(way, "unsure") if node.id in self.local_stops else way
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "self":
            yield from self._of_body(self.spec.call.body if self.spec.call else "", way)
        if isinstance(node, ast.Subscript):
            yield from self.of(node.value, way)
            yield from self.of(node.slice, _joined(way, "unsure"))
            return
        for child in ast.iter_child_nodes(node):
            yield from self.of(child, way)

    def _way_of_call(self, call: ast.Call, way: Way) -> Way:
        if calls(call, "stop_gradient"):
            return "stopped"
        names = {node.id for node in nodes_of(ast.Name, call.func)}
        bodies = [self._body_of(attribute_of_self(node) or "") for node in ast.walk(call)]
        bodies += [self.spec.call.body] if self.spec.call and ast.unparse(call.func) == "self" else []
        hidden = any(body and stops_a_value(self.spec, body) for body in bodies)
        is_flat = last_name(call) in _WITHOUT_SLOPE
        return _joined(way, "unsure") if hidden or is_flat or names & self.local_stops else way

    def _body_of(self, name: str) -> str:
        return next((method.call.body for method in self.spec.methods if method.name == name), "")

    def _of_field(self, name: str, way: Way) -> Iterator[Read]:
        yield f"self.{name}", way
        yield from self._of_body(self._body_of(name), way)

    def _of_body(self, body: str, way: Way) -> Iterator[Read]:
        """Yield the fields that a method reads, as unsure if it applies `stop_gradient` to anything."""
        for source in bodies_used(self.spec, body) if body else ():
            then: Way = "unsure" if _has_stop(parsed(source)) else "free"
            for node in ast.walk(parsed(source)):
                if (field := attribute_of_self(node, ast.Load)) is not None:
                    yield f"self.{field}", _joined(way, then)
