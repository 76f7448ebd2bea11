"""Conversion of a list of layers to a single instance, built by `vmap` and called in a scan."""

import ast

from msgspec.structs import replace

from scaffold.passes.stacked.scans import Signature, Stack, loops_over, scanned
from scaffold.source.expressions import local_values, own_names
from scaffold.spec.grammar.types import ClassType, ListType, OpaqueType, TupleType, Type
from scaffold.spec.model import Call, Field, Method, ModuleSpec
from scaffold.spec.states import is_state

COMMENT = "# Stacked: each array of {name} has an axis of layers first."


def stacked(spec: ModuleSpec) -> tuple[Field, ...]:
    """Return the fields whose layers are stacked."""
    return tuple(field for field in spec.fields if field.stacked)


def layer_type(kind: Type) -> ClassType | OpaqueType | None:
    """Return the class of the layers in a list or tuple, or None."""
    match kind:
        case ListType(item=ClassType() | OpaqueType() as item):
            return item
        case TupleType(items=(ClassType() | OpaqueType() as item,), variadic=True):
            return item
        case _:
            return None


def stack_of(spec: ModuleSpec) -> Stack:
    """Return the stacked fields in the form that scans need."""
    fields = stacked(spec)
    return Stack(
        {field.name: _length(spec, field) for field in fields},
        frozenset(field.name for field in fields if field.remat),
    )


def _length(spec: ModuleSpec, field: Field) -> str:
    """Return source for the number of layers, from the static field that splits the key, or from an array."""
    comprehension = _comprehension(field)
    size = _keys(spec, comprehension) if comprehension is not None else None
    static = spec.field(size.id) if isinstance(size, ast.Name) else None
    if static is not None and static.role == "static" and static.given and not static.converter:
        return f"self.{static.name}"
    return f"jax.tree.leaves(eqx.filter(self.{field.name}, eqx.is_array))[0].shape[0]"


def _comprehension(field: Field) -> ast.ListComp | ast.GeneratorExp | None:
    """Return the comprehension that builds the layers, if it has a single loop and no condition."""
    node = ast.parse((field.expression or "None").strip(), mode="eval").body
    match node:
        case ast.Call(func=ast.Name(id="list" | "tuple"), args=[inner], keywords=[]):
            node = inner
        case _:
            pass
    if isinstance(node, ast.ListComp | ast.GeneratorExp) and len(node.generators) == 1:
        return node if not node.generators[0].ifs else None
    return None


def _keys(spec: ModuleSpec, comprehension: ast.ListComp | ast.GeneratorExp) -> ast.expr | None:
    """Return the number into which a key is split for the comprehension, or None for another iterable."""
    over = _over(comprehension)
    if isinstance(over, ast.Name):
        over = next((value for name, value in local_values(spec.setup) if name == over.id), over)
    match over:
        case ast.Call(func=ast.Attribute(attr="split"), args=[key, size]) if "key" in ast.unparse(key):
            return size  # of `jax.random`, by whatever name
        case _:
            return None


def count_of_layers(field: Field) -> str | None:
    """Return the source of the number of layers under `vmap` if it is a name or a constant."""
    match ast.parse((field.expression or "None").strip(), mode="eval").body:
        case ast.Call(func=ast.Call(), args=[ast.Call(args=[*_, (ast.Name() | ast.Constant()) as count])]):
            return ast.unparse(count)
        case _:
            return None


def with_stacked(spec: ModuleSpec) -> ModuleSpec:
    """Replace lists of stacked layers by single instances, and loops over them by scans."""
    if not any(layer_type(field.type) for field in stacked(spec)):
        return spec
    stack = stack_of(spec)
    fields = tuple(_stacked(spec, field) if field.stacked else field for field in spec.fields)
    call = spec.call if spec.call is None else _scanned(spec.call, stack)
    methods = (
        replace(method, call=_scanned(method.call, stack)) if _reads(method) else method
        for method in spec.methods
    )
    return replace(spec, fields=fields, call=call, methods=tuple(methods))


def _reads(method: Method) -> bool:
    return method.owner == "self" and method.is_function


def _stacked(spec: ModuleSpec, field: Field) -> Field:
    kind = layer_type(field.type)
    if kind is None:
        return field
    comment = "\n".join(filter(None, (field.comment, COMMENT.format(name=f"`{field.name}`"))))
    return replace(field, type=kind, init=f"= {_made(spec, field)}", comment=comment)


def _made(spec: ModuleSpec, field: Field) -> str:
    """Return source for the stacked layers, by `vmap` where possible, else from single layers."""
    comprehension = _comprehension(field)
    if comprehension is None or not _maps(spec, comprehension):
        stack = "lambda first, *rest: jnp.stack((first, *rest)) if eqx.is_array(first) else first"
        return f"jax.tree.map({stack}, *{field.expression})"
    target, over = (ast.unparse(part) for part in (comprehension.generators[0].target, _over(comprehension)))
    over = f"jnp.arange{over.removeprefix('range')}" if over.startswith("range(") else over
    return f"eqx.filter_vmap(lambda {target}: {ast.unparse(comprehension.elt)})({over})"


def _over(comprehension: ast.ListComp | ast.GeneratorExp) -> ast.expr:
    return comprehension.generators[0].iter


def _maps(spec: ModuleSpec, comprehension: ast.ListComp | ast.GeneratorExp) -> bool:
    """Whether `vmap` can build the layers, because each takes a key or all are alike."""
    target = comprehension.generators[0].target
    if not isinstance(target, ast.Name):
        return False
    is_counted = ast.unparse(_over(comprehension)).startswith("range(")
    alike = all(node.id != target.id for node in own_names(comprehension.elt))
    return _keys(spec, comprehension) is not None or (is_counted and alike)


def _scanned(call: Call, stack: Stack) -> Call:
    signature = Signature(
        tuple(argument.name for argument in call.args),
        frozenset(argument.name for argument in call.args if is_state(argument.type)),
    )
    source = scanned(call.source, stack, signature) if call.source else ""
    body = scanned(call.body, stack, signature)
    looped = call.body if list(loops_over(ast.parse(call.body).body, stack.names)) else ""
    return replace(call, source=source, body=body, looped=looped)
