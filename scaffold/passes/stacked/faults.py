"""Faults of layers that cannot be stacked, and of methods that a scan cannot express."""

import ast
from collections.abc import Iterator

from scaffold.errors import Fault
from scaffold.passes.stacked.iteration import field_of, iterated, stacked_fields
from scaffold.passes.stacked.layers import layer_type, stacked
from scaffold.passes.stacked.loop_flow import flow_of
from scaffold.passes.stacked.scans import body_of_method, exits, loops_over, without_parentheses
from scaffold.source.expressions import dedented
from scaffold.spec.model import Call, Field, ModuleSpec

_READ = "read the layers by `for`, `len` or an index, or leave `stacked` out"


def stacked_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """Find faults of stacked fields, and of methods that read them."""
    for field in spec.fields:
        yield from _of_field(spec, field)
    names = frozenset(field.name for field in stacked(spec) if layer_type(field.type))
    for key, method in spec.functions:
        if method.owner == "self" and names:
            yield from _of_method(f"{key}", method.call, names)


def _of_field(spec: ModuleSpec, field: Field) -> Iterator[Fault]:
    place = f"fields.{field.name}"
    if field.remat and not field.stacked:
        yield Fault(
            f"{place}.remat", "only stacked layers are computed again", "write `stacked = true` beside it"
        )
    if not field.stacked:
        return
    place = f"{place}.stacked"
    if layer_type(field.type) is None:
        yield Fault(place, "only a list of one class can be stacked", "write `list[Block]` as its type")
    elif spec.own_constructor is not None or field.expression is None:
        fix = 'write `init = "=[Block.create(..., key=key) for key in jax.random.split(key, depth)]"`'
        yield Fault(place, "nothing says how one layer is made, so that all are made at once", fix)


def _of_method(place: str, call: Call, names: frozenset[str]) -> Iterator[Fault]:
    body = body_of_method(dedented(call.text))
    arguments = tuple(argument.name for argument in call.args)
    known: set[int] = set()
    for loop in loops_over(body, names):
        known |= {id(node) for node in ast.walk(loop.iter)}
        shown = f"`for {without_parentheses(ast.unparse(loop.target))} in {ast.unparse(loop.iter)}`"
        if iterated(loop, names, "") is None:
            fix = "write `for layer in self.layers`, with `zip`, `enumerate`, `reversed` or a slice"
            yield Fault(place, f"{shown} has no form as a scan", fix)
        for node in [*exits(loop), *loop.orelse[:1]]:
            fix = "let each layer run, and choose with `jnp.where`; or leave `stacked` out"
            word = "else" if node in loop.orelse else ast.unparse(node)
            yield Fault(place, f"{shown} has `{word}`, and a scan runs through every layer", fix)
        flow = flow_of(loop, body, arguments)
        for name in flow.leaked:
            fix = f"write `{name} = []` on a line of its own above the loop, and append to it once for each layer"
            yield Fault(
                place, f"{shown} changes `{name}` in place, which a scan does once for all layers", fix
            )
        for name in flow.unbound:
            fix = f"assign `{name}` above the loop too, with the same shape and dtype"
            yield Fault(place, f"{shown} first assigns `{name}`, which is read below the loop", fix)
    for statement in body:
        yield from _iterations(place, statement, names, known)


def _iterations(place: str, statement: ast.stmt, names: frozenset[str], known: set[int]) -> Iterator[Fault]:
    """Find iterations over stacked layers outside of a loop, because the layers are a single instance."""
    for node in ast.walk(statement):
        over = _over(node)
        for part in over:
            name = field_of(part, names)
            if name is not None and id(part) not in known:
                yield Fault(place, f"goes through `self.{name}`, which is one instance of all layers", _READ)
    inner = (node for node in ast.walk(statement) if isinstance(node, ast.For) and id(node.iter) not in known)
    for loop in inner:
        for name in stacked_fields(loop.iter, names):
            yield Fault(place, f"goes through `self.{name}` within a loop over layers", _READ)


def _over(node: ast.AST) -> list[ast.expr]:
    """Return the iterables of a comprehension, a star, or a function such as `sum`."""
    match node:
        case ast.comprehension(iter=over):
            return [over]
        case ast.Starred(value=over):
            return [over]
        case ast.Call(func=ast.Name(id=name), args=args) if name in _ITERATING:
            return args
        case _:
            return []


_ITERATING = (
    *("all", "any", "enumerate", "filter", "iter", "list", "map"),
    *("max", "min", "reversed", "sorted", "sum", "tuple", "zip"),
)
