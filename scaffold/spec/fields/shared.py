"""Tied arrays: a field that reads an array which another field stores, so that there is one leaf of it."""

import ast
from collections.abc import Iterator, Mapping

from scaffold.errors import Fault, suggestion
from scaffold.spec.grammar.types import ArrayType, ClassType
from scaffold.spec.model import Field, ModuleSpec
from scaffold.spec.source.expressions import free_names

_TRANSFORMS = ("T", "mT")


def shared_fields(spec: ModuleSpec) -> tuple[Field, ...]:
    """The fields that are tied to an array of another."""
    return tuple(one for one in spec.fields if one.role == "shared")


def tie(spec: ModuleSpec, field: Field) -> str:
    """The path of the leaf that a shared field reads: `layers.0.weight` of `layers[0].weight.T`."""
    longest = _longest(spec, field)
    root = spec.field(longest.partition(".")[0])
    return root.name if root is not None and root.array is not None else longest


def tied_source(spec: ModuleSpec, field: Field) -> str:
    """The leaf that a shared field reads, as Python has it: `layers[0].weight` of `layers[0].weight.T`."""
    path = tie(spec, field)
    found = (node for node in _nodes(field) if path and _chain(node) == path)
    return next((ast.unparse(node).removeprefix("self.") for node in found), path)


def _nodes(field: Field) -> list[ast.AST]:
    return list(ast.walk(ast.parse(field.of or "None", mode="eval")))


def _longest(spec: ModuleSpec, field: Field) -> str:
    """The longest path among those that `of` reads from its field."""
    nodes = _nodes(field)
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    chains = [_chain(node) for node in nodes if id(node) not in called]
    targets = {one.name for one in _targets(spec, field)}
    return max((chain for chain in chains if chain.partition(".")[0] in targets), key=len, default="")


def _chain(node: ast.AST) -> str:
    """`node` as a dotted path, where it is one: names, attributes that are no transform, constant indices."""
    match node:
        case ast.Name(id="self"):
            return ""
        case ast.Attribute(value=ast.Name(id="self"), attr=name) | ast.Name(id=name):
            return name
        case ast.Attribute(value=inner, attr=name) if name not in _TRANSFORMS and _chain(inner):
            return f"{_chain(inner)}.{name}"
        case ast.Subscript(value=inner, slice=ast.Constant(value=int() | str() as index)) if _chain(inner):
            return f"{_chain(inner)}.{index}"
        case _:
            return ""


def _targets(spec: ModuleSpec, field: Field) -> list[Field]:
    """The fields that `of` names."""
    source = field.of or "None"
    own = {
        node.attr
        for node in ast.walk(ast.parse(source, mode="eval"))
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self"
    }
    names = {*free_names(source, expression=True), *own}
    return [one for one in spec.fields if one.name in names]


def shared_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """What a tied array cannot be tied to; names that are unknown are told elsewhere."""
    for field in spec.fields:
        place = f"fields.{field.name}.of"
        if field.role == "shared":
            yield from _of_faults(spec, field, place)


def _of_faults(spec: ModuleSpec, field: Field, place: str) -> Iterator[Fault]:
    arrays = (one for one in spec.dynamic if one.role != "state" and not one.python_leaf)
    legal = tuple(one.name for one in arrays if not (one.optional or one.nullable))
    if field.of == "":
        return
    targets = _targets(spec, field)
    if field.of is None:
        fix = f'write `of = "{legal[0] if legal else "weight"}"`: the array that stores it'
        yield Fault(place, "a shared field is an array of another field", fix, legal)
    elif len(targets) > 1:
        told = " and ".join(f"`{one.name}`" for one in targets)
        fix = 'tie it to one of them, or write `role = "derived"` and `init`'
        yield Fault(place, f"reads {told}, and a shared field is one array", fix, legal)
    elif targets:
        yield from _target_faults(field, targets[0], place, legal)


def _target_faults(field: Field, target: Field, place: str, legal: tuple[str, ...]) -> Iterator[Fault]:
    fix = "name a field that stores arrays"
    if target.name == field.name:
        yield Fault(place, f"`{field.name}` is tied to itself", fix, legal)
    elif not target.stored:
        yield Fault(place, f"`{target.name}` is {target.role}, and stores nothing", fix, legal)
    elif target.optional or target.nullable:
        what = f"`{target.name}` may be None, and then there is nothing to read"
        yield Fault(place, what, "tie it to a field that is always there", legal)
    elif target.name not in legal:
        yield Fault(place, f"`{target.name}` is {target.role}, and no array that can be tied", fix, legal)
    else:
        yield from _type_faults(field, target, place.removesuffix("of") + "type")


def _type_faults(field: Field, target: Field, place: str) -> Iterator[Fault]:
    """A tied array has the type of its target, turned if it is transposed."""
    source, stored = (field.of or "").removeprefix("self."), target.array
    if stored is None or source not in (target.name, f"{target.name}.T"):
        return
    dims = stored.dims if source == target.name else stored.dims[::-1]
    if field.type != ArrayType(stored.dtype, dims):
        text = f"{stored.dtype}[{','.join(dims)}]"
        yield Fault(place, f"`{field.of}` is of type `{text}`", f'write `type = "{text}"`')


def tie_faults(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> Iterator[Fault]:
    """Ties to arrays that a sub-module, whose spec is known, does not have."""
    for field in shared_fields(spec):
        first, *rest = tie(spec, field).split(".")
        target = spec.field(first)
        inner = known.get(target.type.name) if target and isinstance(target.type, ClassType) else None
        legal = tuple(one.name for one in inner.dynamic) if inner else ()
        if inner is not None and rest and rest[0] not in legal:
            fix = suggestion(rest[0], legal, "name a field that it stores")
            place = f"fields.{field.name}.of"
            yield Fault(place, f"`{inner.name}` stores no `{rest[0]}`", fix, legal)
